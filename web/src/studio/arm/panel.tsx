// The arm: picture, what is shown of it, sliders, where the tool is.
import type { JSX } from "preact";
import type { Shown } from "../../shared/types";
import { t } from "../language";
import { Act, Switch } from "../parts/controls";
import { download } from "../parts/handing";
import { home, move, pose, show, shown, why } from "../state/arm";
import { drawn, module } from "../state/drawing";
import { fold, isFolded, layout, standAlone } from "../state/layout";
import { wardrobe, wearing } from "../state/looks";
import { narrow } from "../state/theme";
import { viewer } from "../state/viewing";
import { robot, units } from "../state/work";
import { digits, METRES } from "../table/units";
import { Sliders } from "./sliders";
import { Stage } from "./stage";

const SHOWN: readonly (readonly [keyof Shown, string])[] = [
  ["frames", "Frames"],
  ["axes", "Axes"],
  ["names", "Names"],
  ["ranges", "Ranges"],
  ["trail", "Trail"],
  ["branches", "Branches"],
  ["cloud", "Workspace"],
  ["com", "Centres of mass"],
  ["inertia", "Inertia"],
  ["forces", "Forces"],
];

function Toggles(): JSX.Element {
  return (
    <details class="toggles">
      <summary>{t("Show")}</summary>
      <div class="toggle-box" role="group" aria-label={t("Show")}>
        {SHOWN.map(([key, title]) => (
          <Switch key={key} label={t(title)} on={shown.value[key]} onChange={(on) => show({ [key]: on })} />
        ))}
        {wardrobe.value && <Switch label={t("Meshes")} on={wearing.value} onChange={(on) => (wearing.value = on)} />}
      </div>
    </details>
  );
}

async function picture(): Promise<void> {
  const view = viewer.value;
  if (view) download(`${robot.value.name || "arm"}.png`, await view.png());
}

function drawnFlat(): void {
  const view = viewer.value;
  if (view) download(`${robot.value.name || "arm"}.svg`, view.svg(), "image/svg+xml");
}

function ToolPlace(): JSX.Element {
  const T = pose.value;
  const { length } = units.value;
  const place = T ? [0, 1, 2].map((i) => (T[i]![3]! / METRES[length]).toFixed(digits(length))).join(", ") : "…";
  return (
    <p class="tool-place" aria-live="off">
      {t("tool")} {drawn.value?.frame && `(${drawn.value.frame}) `}
      <output aria-label={t("Position of the tool ({0})", length)}>{place}</output> {length}
      {why.value && !["slider", "key", "drag", "new arm", "home", "welcome", "play"].includes(why.value) && <span class="why"> · {why.value}</span>}
      {/* in a line that is there anyway: the arm keeps its size when the models have come */}
      {!module.value && <span class="quiet"> · {t("Loading models…")}</span>}
    </p>
  );
}

export function ArmPanel(): JSX.Element {
  return (
    <section class="arm" aria-label={t("Arm")}>
      <Stage />
      <div class="arm-bar">
        <Toggles />
        <Act pressed={!isFolded("joints")} onClick={() => fold("joints", !isFolded("joints"))}>
          {t("Sliders")}
        </Act>
        <Act onClick={() => move(home(), "home")}>{t("Home")}</Act>
        <Act onClick={() => viewer.value?.fit()}>{t("Fit")}</Act>
        <Act onClick={() => void picture()}>PNG</Act>
        <Act onClick={drawnFlat}>SVG</Act>
        {!narrow.value && (
          <Act pressed={layout.value.alone} hint={`${t("Without table and panels")} (a)`} onClick={() => standAlone(!layout.value.alone)}>
            {t("Arm alone")}
          </Act>
        )}
      </div>
      <ToolPlace />
      {!isFolded("joints") && <Sliders />}
    </section>
  );
}
