// The table with its bar: convention, what is shown, paste, import, export.
import type { JSX } from "preact";
import { dialog } from "../dialogs/which";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { FoldingTitle } from "../parts/folding";
import { isFolded } from "../state/layout";
import { narrow } from "../state/theme";
import { convert, reinterpret } from "../state/units";
import { robot } from "../state/work";
import type { View } from "./columns";
import { Table, view } from "./table";

type Meant = string; // a convention, or "to" another: the same arm

function mean(choice: Meant): void {
  if (choice === "standard" || choice === "modified") reinterpret(choice);
  else if (choice !== "urdf") void convert({ convention: choice.slice(3) });
}

function conventions(): (readonly [Meant, string])[] {
  const { kind, convention } = robot.value;
  const now: (readonly [Meant, string])[] = kind === "frames" ? [["urdf", t("frames (URDF)")]] : [["standard", t("standard DH")], ["modified", t("modified DH")]];
  const others: (readonly [Meant, string])[] = [["to standard", t("same arm in standard DH")], ["to modified", t("same arm in modified DH")], ["to urdf", t("same arm in frames (URDF)")]];
  return [...now, ...others.filter(([key]) => key !== `to ${convention}`)];
}

export function TablePanel(): JSX.Element {
  const { kind, convention } = robot.value;
  return (
    <section class="table-panel" aria-label={t("Table")}>
      <div class="bar-line">
        {narrow.value ? <h2>{t("Table")}</h2> : <FoldingTitle name="table" title={t("Table")} />}
        <Choice<Meant> quiet label={t("Convention")} value={kind === "frames" ? "urdf" : convention} options={conventions()} onChange={mean} />
        <Choice<View>
          quiet
          label={t("Columns")}
          value={view.value}
          options={[["geometry", t("geometry")], ["limits", t("limits")], ["mass", t("masses and friction")]]}
          onChange={(v) => (view.value = v)}
        />
        <span class="space" />
        <Act onClick={() => (dialog.value = "paste")}>{t("Paste")}</Act>
        <Act onClick={() => (dialog.value = "open")}>{t("Import")}</Act>
        <Act onClick={() => (dialog.value = "save")}>{t("Save…")}</Act>
      </div>
      {(narrow.value || !isFolded("table")) && <Table />}
    </section>
  );
}
