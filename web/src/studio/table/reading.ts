// Tables and files from elsewhere, through the file reader: the page itself reads nothing.
import type { ReadAnswer } from "../../shared/api";
import { t } from "../language";
import { say } from "../state/notices";
import { formats, readRobot, type ReadRequest } from "../state/start";
import { open, robot } from "../state/work";

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads and shows; null where it could not be read. What had to be assumed is said; a dialog shows what is wrong itself. */
export async function readInto(
  request: ReadRequest,
  from: string | null = null,
  wrong: (sentence: string) => void = (sentence) => say(sentence, "wrong"),
): Promise<ReadAnswer | null> {
  try {
    const answer = await readRobot(request);
    const { document, warnings, base } = answer;
    open(document, from !== null && base !== null ? { name: from, base } : null);
    if (warnings.length) say(warnings.map((warning) => warning.message).join(" "), "wrong");
    return answer;
  } catch (error) {
    wrong(said(error));
    return null;
  }
}

/** A whole table with its header, pasted into a cell: in the units of this table where it says none itself. */
export async function readPasted(text: string): Promise<ReadAnswer | null> {
  const { angle, length, convention, name } = robot.value;
  return readInto({ text, format: "dh", name, angle, length, ...(convention === "modified" ? { convention } : {}) });
}

/** A file of the user's machine; the server knows its format by its ending. */
export async function readFile(file: File): Promise<boolean> {
  const text = await file.text();
  const read = await readInto({ text, name: file.name.replace(/\.\w+$/, ""), ending: /\.\w+$/.exec(file.name)?.[0] ?? "" });
  const drawsLinks = formats().some(({ name, visuals }) => name === read?.format && visuals === "held");
  if (drawsLinks && text.includes("<mesh")) say(t("Meshes are drawn of a URDF that lies with them in the studio's folder and is opened there."));
  return read !== null;
}
