// The keys.
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
  ["/", "search the library"],
  ["?", "this help"],
];

export function HelpDialog(): JSX.Element {
  return (
    <Dialog title={t("Keys")} onClose={shut}>
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
