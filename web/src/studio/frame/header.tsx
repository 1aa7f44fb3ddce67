// The line at the top: whose arm, saved when, undo and redo, units, language, share.
import type { JSX } from "preact";
import { dialog } from "../dialogs/which";
import { language, t, type Language } from "../language";
import { Act, Choice } from "../parts/controls";
import { Menu } from "../parts/menu";
import { keptAt } from "../state/kept";
import { narrow, theme, type Theme } from "../state/theme";
import { convert } from "../state/units";
import { canRedo, canUndo, file, redo, robot, saved, undo } from "../state/work";

const clock = (seconds: number): string => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function state(): string {
  if (saved.value) return t("saved as {0}", file.value?.name ?? "");
  return keptAt.value === null ? "" : t("Draft saved {0}", clock(keptAt.value));
}

function FileMenu(): JSX.Element {
  return (
    <Menu
      label={robot.value.name || t("no name")}
      hint={t("New, open, save")}
      items={[
        [t("New"), () => (dialog.value = "new")],
        [t("Paste a table…"), () => (dialog.value = "paste")],
        [t("Library…"), () => (dialog.value = "library")],
        [t("Open…"), () => (dialog.value = "open")],
        [t("Save…"), () => (dialog.value = "save")],
        [t("Name, gravity, values…"), () => (dialog.value = "settings")],
      ]}
    />
  );
}

function Settings(): JSX.Element {
  const { angle, length } = robot.value;
  return (
    <>
      <Choice quiet label={t("Angles in")} value={angle} options={[["deg", "deg"], ["rad", "rad"]]} onChange={(a) => void convert({ angle: a })} />
      <Choice quiet label={t("Lengths in")} value={length} options={[["m", "m"], ["cm", "cm"], ["mm", "mm"]]} onChange={(l) => void convert({ length: l })} />
      <Choice<Language> quiet label={t("Language")} value={language.value} options={[["en", "EN"], ["pt", "PT"]]} onChange={choose} />
      <Choice<Theme>
        quiet
        label={t("Theme")}
        value={theme.value}
        options={[["auto", t("auto")], ["light", t("light")], ["dark", t("dark")]]}
        onChange={(chosen) => (theme.value = chosen)}
      />
      <Act label={t("Help")} kind="icon" onClick={() => (dialog.value = "help")}>
        ?
      </Act>
    </>
  );
}

function choose(chosen: Language): void {
  language.value = chosen;
  localStorage.setItem("manipula.language", chosen);
}

export function Header(): JSX.Element {
  const small = narrow.value ? "icon" : "plain"; // words of two languages do not fit beside a name
  return (
    <header class="top">
      <h1 class="unseen">{t("manipula studio")}</h1>
      <FileMenu />
      <span class="kept" role="status" title={state()} aria-label={state()}>
        {narrow.value ? state() && "✓" : state()}
      </span>
      <span class="space" />
      <Act disabled={!canUndo.value} kind={small} label={t("Undo")} hint={`${t("Undo")} (Ctrl+Z)`} onClick={undo}>
        {narrow.value ? "↶" : t("Undo")}
      </Act>
      <Act disabled={!canRedo.value} kind={small} label={t("Redo")} hint={`${t("Redo")} (Ctrl+Shift+Z)`} onClick={redo}>
        {narrow.value ? "↷" : t("Redo")}
      </Act>
      {narrow.value ? (
        <details class="more">
          <summary aria-label={t("Units, language, theme")}>⋯</summary>
          <div class="more-box">
            <Settings />
          </div>
        </details>
      ) : (
        <Settings />
      )}
      <Act kind="main" label={t("Share…")} onClick={() => (dialog.value = "share")}>
        {narrow.value ? "↗" : t("Share…")}
      </Act>
    </header>
  );
}
