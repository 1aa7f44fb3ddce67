// Tables and files from elsewhere, through the file reader: the page itself reads nothing.
import type { Angle, Length, ReadRequest } from "../../shared/api";
import { t } from "../language";
import { say } from "../state/notices";
import { readRobot } from "../state/start";
import { open, robot } from "../state/work";

export interface Reading {
  angle?: Angle;
  length?: Length;
  convention?: "standard" | "modified";
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads and shows; true where it could be read. What had to be assumed is said; a dialog shows what is wrong itself. */
export async function readInto(
  request: ReadRequest,
  from: string | null = null,
  wrong: (sentence: string) => void = (sentence) => say(sentence, "wrong"),
): Promise<boolean> {
  try {
    const { document, warnings, base } = await readRobot(request);
    open(document, from !== null && base !== null ? { name: from, base } : null);
    if (warnings.length) say(warnings.map((warning) => warning.message).join(" "), "wrong");
    return true;
  } catch (error) {
    wrong(said(error));
    return false;
  }
}

/** A whole table with its header, pasted into a cell: in the units of this table where it says none itself. */
export async function readPasted(text: string): Promise<boolean> {
  const { angle, length, convention, name } = robot.value;
  return readInto({ text, format: "table", name, angle, length, ...(convention === "modified" ? { convention } : {}) });
}

const FORMATS: Record<string, "toml" | "urdf" | "mjcf" | "par" | "csv"> = {
  toml: "toml",
  urdf: "urdf",
  xml: "mjcf",
  mjcf: "mjcf",
  par: "par",
  csv: "csv",
  txt: "csv",
};

/** A file of the user's machine; its ending says how it is read. */
export async function readFile(file: File): Promise<boolean> {
  const ending = file.name.toLowerCase().split(".").at(-1) ?? "";
  const text = await file.text();
  const format = ending === "xml" && text.includes("<robot") ? "urdf" : FORMATS[ending];
  const read = await readInto({ text, name: file.name.replace(/\.\w+$/, ""), ...(format ? { format } : {}) });
  if (read && format === "urdf" && text.includes("<mesh")) say(t("Meshes are drawn of a URDF that lies with them in the studio's folder and is opened there."));
  return read;
}
