// Where to save, and what to do when the file is no longer what was read.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ExportAnswer } from "../../shared/api";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { Dialog } from "../parts/dialog";
import { download } from "../parts/handing";
import { say } from "../state/notices";
import { conflict, fileName, save, type Conflict } from "../state/saving";
import { call } from "../state/server";
import { formats, start } from "../state/start";
import { file, open, robot } from "../state/work";
import { shut } from "./which";

async function exported(format: string): Promise<void> {
  try {
    const { name, text, warnings } = await call<ExportAnswer>("/api/export", { document: robot.value, format });
    download(name, text);
    if (warnings.length) say(warnings.map((warning) => warning.message).join(" "), "wrong");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), "wrong");
  }
}

export function SaveDialog(): JSX.Element {
  const [name, setName] = useState(file.value?.name ?? fileName(robot.value.name));
  const [format, setFormat] = useState("toml");
  const keep = async (): Promise<void> => {
    const whole = name.includes("/") ? name : fileName(name);
    if ((await save(whole, whole === file.value?.name ? file.value.base : null)) || conflict.value) shut();
  };
  return (
    <Dialog title={t("Save")} onClose={shut}>
      <label class="field">
        <span>{t("File in {0}", start.value?.folder ?? "")}</span>
        <input type="text" autofocus value={name} onInput={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && void keep()} />
      </label>
      <footer>
        <Act kind="main" onClick={() => void keep()}>
          {t("Save")}
        </Act>
      </footer>
      <h3>{t("Or download")}</h3>
      <div class="line">
        <Choice label={t("Format")} value={format} options={formats().flatMap(({ name, label, written }) => (written ? [[name, label] as const] : []))} onChange={setFormat} />
        <Act onClick={() => void exported(format)}>{t("Download")}</Act>
      </div>
    </Dialog>
  );
}

export function ConflictDialog({ found }: { found: Conflict }): JSX.Element {
  const close = (): void => void (conflict.value = null);
  const theirs = found.theirs;
  const take = (): void => {
    if (theirs?.document) open(theirs.document, { name: found.name, base: theirs.digest });
    close();
  };
  return (
    <Dialog title={t("The file has changed")} onClose={close} wide>
      <p>{found.message}</p>
      {theirs && (
        <pre class="theirs" tabIndex={0} aria-label={t("The file as it is now")}>
          {theirs.text}
        </pre>
      )}
      <footer>
        <Act kind="main" onClick={() => void save(found.name, theirs?.digest ?? null)}>
          {t("Save mine over it")}
        </Act>
        {theirs?.document && <Act onClick={take}>{t("Take the file's")}</Act>}
        <Act onClick={close}>{t("Not now")}</Act>
      </footer>
    </Dialog>
  );
}
