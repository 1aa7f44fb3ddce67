// Robots to begin with: the library, files of the folder, files of this machine.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { counted, t } from "../language";
import { say } from "../state/notices";
import { Dialog } from "../parts/dialog";
import { readFile, readInto } from "../table/reading";
import { formats, refreshFiles, start } from "../state/start";
import { shut } from "./which";

interface Entry {
  name: string;
  about: string;
  open: () => Promise<unknown>;
}

function List({ entries, label }: { entries: Entry[]; label: string }): JSX.Element {
  return (
    <ul class="entries" aria-label={label} tabIndex={0}>
      {entries.map((entry) => (
        <li key={entry.name}>
          <button type="button" class="entry" onClick={async () => (await entry.open()) && shut()}>
            <strong>{entry.name}</strong> <span>{entry.about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function LibraryDialog(): JSX.Element {
  const [search, setSearch] = useState("");
  const found = (start.value?.library ?? []).filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(search.toLowerCase()));
  const entries = found.map(({ name, dof, about }) => ({
    name,
    about: `${counted("{0} joint", "{0} joints", dof)} · ${about}`,
    open: () => readInto({ library: name }),
  }));
  return (
    <Dialog title={t("Library")} onClose={shut} wide>
      <label class="field">
        <span>{t("Search")}</span>
        <input type="search" autofocus value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
      </label>
      <List entries={entries} label={t("Robots of the library")} />
    </Dialog>
  );
}

export function OpenDialog(): JSX.Element {
  const files = start.value?.files ?? [];
  useEffect(() => void refreshFiles().catch((error: Error) => say(error.message, "wrong")), []);
  const entries = files.map(({ name, changed }) => ({
    name,
    about: new Date(changed * 1000).toLocaleString(),
    open: () => readInto({ file: name }, name),
  }));
  const picked = async (list: FileList | null): Promise<void> => {
    if (list?.[0] && (await readFile(list[0]))) shut();
  };
  return (
    <Dialog title={t("Open")} onClose={shut} wide>
      <label class="field drop">
        <span>{t("A file of this machine: {0}", formats().map(({ label }) => label.replace(/ \(.*/, "")).join(", "))}</span>
        <span class="act file" aria-hidden="true">
          {t("Choose a file…")}
        </span>
        <input type="file" class="unseen" accept={formats().flatMap(({ endings }) => endings).join()} onChange={(e) => void picked(e.currentTarget.files)} />
      </label>
      <h3>{t("Files in {0}", start.value?.folder ?? "")}</h3>
      {entries.length ? <List entries={entries} label={t("Files")} /> : <p>{t("There is no robot file in this folder yet.")}</p>}
    </Dialog>
  );
}
