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

const take = async (entry: Entry | undefined): Promise<void> => void (entry && (await entry.open()) && shut());

// the arrows go from entry to entry, from the field above into the list and back
function stepped(event: KeyboardEvent): void {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const dialog = (event.target as Element).closest("dialog");
  const stops = [...(dialog?.querySelectorAll<HTMLElement>("input[type=search], .entry") ?? [])];
  if (way === undefined || !stops.length) return;
  event.preventDefault();
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(stops.length - 1, Math.max(0, at + way))]?.focus();
}

function List({ entries, label, first }: { entries: Entry[]; label: string; first?: boolean }): JSX.Element {
  return (
    <ul class="entries" aria-label={label} tabIndex={0} onKeyDown={stepped}>
      {entries.map((entry, i) => (
        <li key={entry.name}>
          <button type="button" class={`entry ${first && i === 0 ? "first" : ""}`} onClick={() => void take(entry)}>
            <strong>{entry.name}</strong> <span>{entry.about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function LibraryDialog(): JSX.Element {
  const [search, setSearch] = useState("");
  const word = search.trim().toLowerCase();
  // a name that begins with the word stands before one that has it inside, and that before a description
  const rank = ({ name, about }: { name: string; about: string }): number =>
    [name.toLowerCase().startsWith(word), name.toLowerCase().includes(word), `${name} ${about}`.toLowerCase().includes(word)].indexOf(true);
  const found = (start.value?.library ?? []).filter((robot) => rank(robot) >= 0).toSorted((a, b) => rank(a) - rank(b));
  const entries = found.map(({ name, dof, about }) => ({
    name,
    about: `${counted("{0} joint", "{0} joints", dof)} · ${about}`,
    open: () => readInto({ library: name }),
  }));
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && word) void take(entries[0]);
    else if (event.key === "Escape") shut(); // the browser would empty the field first
    else stepped(event);
  };
  return (
    <Dialog title={t("Library")} onClose={shut} wide>
      <label class="field">
        <span>{t("Search: Enter opens the first, the arrows choose")}</span>
        <input type="search" autofocus aria-label={t("Search")} value={search} onInput={(e) => setSearch(e.currentTarget.value)} onKeyDown={pressed} />
      </label>
      {entries.length ? <List entries={entries} label={t("Robots of the library")} first={word !== ""} /> : <p role="status">{t("No robot of the library has “{0}” in its name or description.", search)}</p>}
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
