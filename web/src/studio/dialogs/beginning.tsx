// A new arm: its joints, what is known of its links; then its pose is shown.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../language";
import { model } from "../panels/equations";
import { Act, Choice } from "../parts/controls";
import { Dialog } from "../parts/dialog";
import { tab } from "../state/viewing";
import { open } from "../state/work";
import { focusCell } from "../table/cell";
import { newDocument, type Masses } from "../table/document";
import { shut } from "./which";

const JOINTS = /^[RP]{1,12}$/i;
const MASSES: readonly (readonly [Masses, string])[] = [
  ["geometry", "geometry alone, no masses"],
  ["points", "point masses at the ends of the links"],
  ["rods", "thin rods"],
  ["bodies", "full bodies: ten parameters a link"],
];

export function NewDialog(): JSX.Element {
  const [joints, setJoints] = useState("RR");
  const [masses, setMasses] = useState<Masses>("points");
  const right = JOINTS.test(joints.trim());
  const make = (): void => {
    if (!right) return;
    open(newDocument(joints.trim(), masses));
    model.value = "pose";
    tab.value = "equations";
    shut();
    // the dialog gives the focus back first; where fingers type, no keyboard comes up unasked
    if (matchMedia("(pointer: fine)").matches) setTimeout(() => focusCell(document.querySelector("table.cells"), { row: 0, column: 0 }));
  };
  return (
    <Dialog title={t("New arm")} onClose={shut}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          make();
        }}
      >
        <label class="field">
          <span>{t("Joints from the base on, R turns and P slides, such as RRP")}</span>
          <input type="text" autofocus spellcheck={false} value={joints} aria-invalid={!right} aria-describedby="joints-wrong" onFocus={(e) => e.currentTarget.select()} onInput={(e) => setJoints(e.currentTarget.value)} />
        </label>
        <p id="joints-wrong" class={right ? "unseen" : "failed"} role="status">
          {right ? "" : t("expected 1 to 12 letters R and P")}
        </p>
        <Choice label={t("Links")} value={masses} options={MASSES.map(([key, title]) => [key, t(title)] as const)} onChange={setMasses} />
        <footer>
          <Act kind="main" disabled={!right} onClick={make}>
            {t("Begin")}
          </Act>
        </footer>
      </form>
    </Dialog>
  );
}
