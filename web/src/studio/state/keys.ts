// Keys of the whole page. Letters and digits only outside of fields; Ctrl+Z everywhere, since a field's text is the document's.
import { dialog } from "../dialogs/which";
import { chosen, coordinates, home, move, nudge, show, shown } from "./arm";
import { layout, standAlone } from "./layout";
import { save } from "./saving";
import { viewer } from "./viewing";
import { file, redo, robot, undo } from "./work";

const FIELDS = "input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]";

const LETTERS: Record<string, () => void> = {
  "+": () => nudge(1),
  "=": () => nudge(1),
  "-": () => nudge(-1),
  "−": () => nudge(-1),
  "0": () => move(home(), "home"),
  f: () => show({ frames: !shown.value.frames }),
  b: () => show({ branches: !shown.value.branches }),
  t: () => show({ trail: !shown.value.trail }),
  a: () => standAlone(!layout.value.alone),
  ".": () => viewer.value?.fit(),
  "/": () => (dialog.value = "library"),
  "?": () => (dialog.value = "help"),
};

function command(event: KeyboardEvent): (() => void) | null {
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? redo : undo;
  if (key === "y") return redo;
  if (key === "s") return () => (file.value && robot.value ? void save(file.value.name, file.value.base) : (dialog.value = "save"));
  return null;
}

function plain(event: KeyboardEvent): (() => void) | null {
  if (event.target instanceof Element && event.target.matches(FIELDS)) return null;
  if (/^[1-9]$/.test(event.key) && Number(event.key) <= coordinates.value.length) return () => (chosen.value = Number(event.key) - 1);
  return LETTERS[event.key] ?? null;
}

export function listen(): void {
  addEventListener("keydown", (event) => {
    const pressed = event.ctrlKey || event.metaKey;
    if (event.altKey || (dialog.value !== null && !(pressed && event.key.toLowerCase() === "z"))) return;
    const act = pressed ? command(event) : plain(event);
    if (!act) return;
    event.preventDefault();
    act();
  });
}
