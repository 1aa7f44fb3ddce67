// The layout: arm on the left, table and panels on the right; on a narrow screen the arm on top and the table a tab.
import type { FunctionComponent, JSX } from "preact";
import { ArmPanel } from "../arm/panel";
import { NewDialog } from "../dialogs/beginning";
import { HelpDialog } from "../dialogs/help";
import { LibraryDialog, OpenDialog } from "../dialogs/opening";
import { PasteDialog } from "../dialogs/paste";
import { ConflictDialog, SaveDialog } from "../dialogs/saving";
import { SettingsDialog } from "../dialogs/settings";
import { ShareDialog } from "../dialogs/sharing";
import { dialog, type DialogName } from "../dialogs/which";
import { t } from "../language";
import { BasePanel } from "../panels/base";
import { CheckPanel } from "../panels/check";
import { CodePanel } from "../panels/code";
import { CountsPanel } from "../panels/counts";
import { DerivationPanel } from "../panels/derivation";
import { DynamicsPanel } from "../panels/dynamics";
import { EquationsPanel } from "../panels/equations";
import { IdentifyPanel } from "../panels/identify";
import { InversePanel } from "../panels/inverse";
import { SimulatePanel } from "../panels/simulate";
import { StudyPanel } from "../panels/study";
import { Act } from "../parts/controls";
import { Splitter } from "../parts/splitter";
import { Tabs } from "../parts/tabs";
import { heighten, HIGHEST, isFolded, layout, LOWEST, NARROWEST, USUAL, widen } from "../state/layout";
import { hush, notice } from "../state/notices";
import { conflict } from "../state/saving";
import { connected } from "../state/server";
import { narrow } from "../state/theme";
import { tab } from "../state/viewing";
import { TablePanel } from "../table/panel";
import { Header } from "./header";
import { Welcome } from "./welcome";

const PANELS: readonly (readonly [id: string, title: string, panel: FunctionComponent])[] = [
  ["equations", "Equations", EquationsPanel],
  ["inverse", "Inverse", InversePanel],
  ["steps", "Steps", DerivationPanel],
  ["counts", "Counts", CountsPanel],
  ["code", "Code", CodePanel],
  ["dynamics", "Dynamics", DynamicsPanel],
  ["simulate", "Simulate", SimulatePanel],
  ["check", "Check", CheckPanel],
  ["base", "Base", BasePanel],
  ["identify", "Identify", IdentifyPanel],
  ["study", "Study", StudyPanel],
];

const DIALOGS: Record<DialogName, FunctionComponent> = {
  new: NewDialog,
  paste: PasteDialog,
  library: LibraryDialog,
  open: OpenDialog,
  save: SaveDialog,
  share: ShareDialog,
  help: HelpDialog,
  settings: SettingsDialog,
};

// on a narrow screen the panel is below the sliders: what was chosen comes up under the picture
function choose(id: string): void {
  tab.value = id;
  if (narrow.value) requestAnimationFrame(() => document.querySelector(".tabbed")?.scrollIntoView({ block: "start" }));
}

function Panels(): JSX.Element {
  const list = narrow.value ? [["table", "Table", TablePanel] as const, ...PANELS] : PANELS;
  const chosen = list.find(([id]) => id === tab.value) ?? list[0]!;
  const Panel = chosen[2];
  return (
    <Tabs tabs={list.map(([id, title]) => ({ id, title: t(title) }))} chosen={chosen[0]} onChoose={choose} label={t("Panels")}>
      {narrow.value && chosen[0] !== "table" && <h2 class="unseen">{t(chosen[1])}</h2>}
      <Panel key={chosen[0]} />
    </Tabs>
  );
}

function Notices(): JSX.Element {
  const said = notice.value;
  return (
    <div class="notices" aria-live="polite">
      {!connected.value && <p class="notice wrong">{`${t("not connected; your table is kept here")}. ${t("Start manipula studio again and open the address it prints: this page then goes on.")}`}</p>}
      {said && (
        <p class={`notice ${said.kind}`}>
          <span>{said.text}</span>
          <Act kind="icon" label={t("Close")} onClick={hush}>
            ×
          </Act>
        </p>
      )}
    </div>
  );
}

/** Of the table: as high as its rows need, or as high as somebody has made it. */
function heights(): Record<string, string> {
  const { table } = layout.value;
  if (isFolded("table")) return {};
  return table === null ? { "--table-most": `${HIGHEST}dvh` } : { "--table": `${table}%` };
}

export function App(): JSX.Element {
  const Open = dialog.value && DIALOGS[dialog.value];
  const alone = layout.value.alone && !narrow.value;
  return (
    <>
      <Header />
      <main class={narrow.value ? "narrow" : alone ? "wide alone" : "wide"} style={{ "--arm": `${layout.value.arm}%`, ...heights() }}>
        <ArmPanel />
        {!narrow.value && !alone && (
          <Splitter label={t("Width of the arm")} share={layout.value.arm} least={NARROWEST} onMove={widen} onReset={() => widen(USUAL)} />
        )}
        {!alone && (
          <div class="right">
            <Welcome />
            {!narrow.value && <TablePanel />}
            {!narrow.value && !isFolded("table") && (
              <Splitter lying label={t("Height of the table")} share={layout.value.table ?? HIGHEST} least={LOWEST} onMove={heighten} onReset={() => heighten(null)} />
            )}
            <Panels />
          </div>
        )}
      </main>
      <Notices />
      {Open && <Open />}
      {conflict.value && <ConflictDialog found={conflict.value} />}
    </>
  );
}
