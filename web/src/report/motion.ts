// Torques along a motion from one position to another, straight in the joints with a polynomial of fifth degree:
// s(x) = 10x³ − 15x⁴ + 6x⁵, at rest at both ends. Computed here by the robot's own inverse dynamics.
import { plot, type Plot } from "../shared/plot";
import type { Drawing, RobotModule } from "../shared/types";
import { firstPose, ranges } from "../viewer/chain";
import type { Viewer } from "../viewer/viewer";
import { t } from "../shared/words";
import { button, el } from "./elements";

const SAMPLES = 201;

export interface Motion {
  t: number[];
  q: number[][];
  tau: number[][];
  power: number[];
}

export function motion(module: RobotModule, from: number[], to: number[], seconds: number): Motion {
  const time = Array.from({ length: SAMPLES }, (_, k) => (seconds * k) / (SAMPLES - 1));
  const rows = time.map((at) => {
    const x = at / seconds, way = to.map((end, c) => end - from[c]);
    const s = x ** 3 * (10 - 15 * x + 6 * x * x), v = (30 * x * x * (1 - x) ** 2) / seconds, a = (60 * x * (1 - x) * (1 - 2 * x)) / seconds ** 2;
    const qd = way.map((d) => v * d), q = from.map((start, c) => start + s * way[c]);
    const tau = module.inverse_dynamics!(q, qd, way.map((d) => a * d));
    return { q, tau, power: tau.reduce((sum, value, c) => sum + value * qd[c], 0) };
  });
  return { t: time, q: rows.map((row) => row.q), tau: rows.map((row) => row.tau), power: rows.map((row) => row.power) };
}

/** The panel; what it gives back computes it anew with another module. */
export async function motionPanel(place: HTMLElement, drawing: Drawing, given: RobotModule | null, viewer: Viewer | null): Promise<(module: RobotModule) => void> {
  if (!given?.inverse_dynamics) {
    const why = given?.robot.missing?.find((one) => one.model === "inverse_dynamics")?.why ?? t("the model could not be made");
    place.replaceChildren(el("p", { class: "note" }, t("No torques: {0}.", why)));
    return () => undefined;
  }
  let module = given;
  const turns = drawing.coordinates.map((_, c) => drawing.joints.find((one) => one.index === c && one.range)?.unit !== "m");
  const from = firstPose(drawing), seconds = el("input", { type: "number", min: 0.2, max: 20, step: 0.1, value: 2, "aria-label": t("seconds of the motion") });
  const to = ranges(drawing).map(([low, high], c) => Math.min(Math.max(from[c] + (turns[c] ? 0.9 : 0.3 * (high - low)) * (c % 2 ? -1 : 1), low), high));
  const torques = el("div", { class: "plot" }), power = el("div", { class: "plot" });
  const unit = turns.every(Boolean) ? "τ (N·m)" : turns.some(Boolean) ? "τ (N·m), f (N)" : "f (N)";
  let shown: Motion = motion(module, from, to, 2), plots: [Plot, Plot] | null = null;
  const again = () => {
    const time = Number(seconds.value);
    if (!(time >= 0.2 && time <= 20)) return;
    shown = motion(module, from, to, time);
    plots?.[0].data(shown.t, columns(shown.tau));
    plots?.[1].data(shown.t, [shown.power]);
  };
  const set = (which: number[]) => {
    viewer?.q.forEach((x, c) => (which[c] = x));
    again();
  };
  seconds.addEventListener("input", again);
  const words = t("From one position to another, straight in the joints and at rest at both ends.");
  const hand = viewer ? [button(t("Start here"), () => set(from)), button(t("End here"), () => set(to)), button(t("Play"), () => viewer.play(shown.t, shown.q)), button(t("Stop"), () => viewer.stop())] : [];
  place.replaceChildren(el("p", {}, words), el("div", { class: "row" }, el("label", {}, `${t("seconds")} `, seconds), ...hand), torques, power);
  plots = [
    await plot(torques, { x: shown.t, series: columns(shown.tau), labels: drawing.coordinates, units: { x: "t (s)", y: unit }, title: t("Torques along the motion") }),
    await plot(power, { x: shown.t, series: [shown.power], labels: [t("power")], units: { x: "t (s)", y: "P (W)" }, title: t("Power of all motors together") }, 160),
  ];
  return (other) => {
    module = other;
    again();
  };
}

const columns = (rows: number[][]) => rows[0].map((_, c) => rows.map((row) => row[c]));
