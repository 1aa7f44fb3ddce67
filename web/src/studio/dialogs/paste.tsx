// A table from a spreadsheet, a book or a web page, with what it does not say about itself.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { Dialog } from "../parts/dialog";
import { readInto } from "../table/reading";
import type { Angle, Length } from "../table/units";
import { robot } from "../state/work";
import { shut } from "./which";

const EXAMPLE = "θ\td\ta\tα\n0\t0,4\t0\t90\n0\t0\t0,45\t0\n0\t0\t0,35\t0";

export function PasteDialog(): JSX.Element {
  const [text, setText] = useState("");
  const [angle, setAngle] = useState<Angle>("deg");
  const [length, setLength] = useState<Length>(robot.value.length as Length);
  const [convention, setConvention] = useState<"standard" | "modified">("standard");
  const [fault, setFault] = useState("");
  const read = async (): Promise<void> => {
    setFault("");
    if (await readInto({ text, format: "dh", name: "my_arm", angle, length, convention }, null, setFault)) shut();
  };
  return (
    <Dialog title={t("Paste a table")} onClose={shut}>
      <p>{t("One row for each joint, with or without a row of headings; without one the columns are θ, d, a, α, or α, a, d, θ in the modified convention. Decimal commas, units and names are read; so are LaTeX tables, and DHRobot([RevoluteDH(…), …]) of the Robotics Toolbox.")}</p>
      <label class="field">
        <span>{t("Table")}</span>
        <textarea rows={9} autofocus spellcheck={false} placeholder={EXAMPLE} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <div class="line">
        <Choice label={t("Angles in")} value={angle} options={[["deg", "deg"], ["rad", "rad"]]} onChange={setAngle} />
        <Choice label={t("Lengths in")} value={length} options={[["m", "m"], ["cm", "cm"], ["mm", "mm"]]} onChange={setLength} />
        <Choice
          label={t("Convention")}
          value={convention}
          options={[["standard", t("standard DH")], ["modified", t("modified DH")]]}
          onChange={setConvention}
        />
      </div>
      {fault && (
        <p class="failed" role="alert">
          {fault}
        </p>
      )}
      <footer>
        <Act kind="main" disabled={text.trim() === ""} onClick={() => void read()}>
          {t("Use this table")}
        </Act>
      </footer>
    </Dialog>
  );
}
