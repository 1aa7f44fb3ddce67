// What one can do here, and the keys.
import type { JSX } from "preact";
import { t } from "../language";
import { Dialog } from "../parts/dialog";
import { shut } from "./which";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["↑ ↓ ← → Enter", "from cell to cell"],
  ["Ctrl+Z · Ctrl+Shift+Z", "undo · redo"],
  ["Ctrl+S", "save"],
  ["1 … 9", "choose a joint"],
  ["+ · −", "move it"],
  ["0", "home position"],
  ["f · b · t", "frames · branches · trail"],
  [".", "fit the picture"],
  ["a", "the arm alone, or table and panels beside it"],
  ["/", "search the library"],
  ["?", "this help"],
];

const DOINGS: readonly string[] = [
  "Enter a cell of the table: the arm shows the step it stands for, so a wrong sign is seen.",
  "A cell takes a number, a name such as l1, or an expression such as 2*l1 or pi/2. A name stays a letter in the equations; the arm is drawn with a made-up value, which its slider changes.",
  "Drag the tool: the joints follow. Show → Branches draws every other way to the same place.",
  "Point at a term of an equation: its links and joints light up, and its value at this position stands below.",
  "Robots with published numbers are in the library: click the robot's name above, then Library.",
  "Every edit is kept in this browser; Save writes a file, Share one page to hand out.",
];

export function HelpDialog(): JSX.Element {
  return (
    <Dialog title={t("Help")} onClose={shut} wide>
      <ul class="doings">
        {DOINGS.map((text) => (
          <li key={text}>{t(text)}</li>
        ))}
      </ul>
      <h3>{t("Keys")}</h3>
      <table class="plain">
        <tbody>
          {KEYS.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{t(what)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{t("Letters and digits work outside of fields. Drag the picture to turn it, the tool to move it; the wheel brings it nearer.")}</p>
    </Dialog>
  );
}
