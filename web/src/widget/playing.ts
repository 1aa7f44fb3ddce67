// Play, pause and a slider over the time of a run.
import { button, el } from "../report/elements";
import type { Viewer } from "../viewer/viewer";

export function playBar(viewer: Viewer, times: number[], rows: number[][]): HTMLElement {
  const first = times[0], last = times[times.length - 1];
  const slider = el("input", { type: "range", min: first, max: last, step: (last - first) / 1000, value: first, "aria-label": "time (s)" });
  const told = el("output", {}, `${first.toFixed(2)} s`);
  const show = (t: number) => {
    slider.value = String(t);
    told.textContent = `${t.toFixed(2)} s`;
  };
  const from = () => {
    const now = Number(slider.value), k = times.findIndex((t) => t >= now);
    return now >= last || k < 0 ? 0 : k;
  };
  slider.addEventListener("input", () => {
    viewer.stop();
    const t = Number(slider.value), k = Math.max(times.findIndex((one) => one >= t), 0), before = Math.max(k - 1, 0);
    const span = times[k] - times[before], share = span > 0 ? (t - times[before]) / span : 1;
    viewer.setQ(rows[before].map((x, c) => x + share * (rows[k][c] - x)));
    show(t);
  });
  const play = button("Play", () => viewer.play(times.slice(from()), rows.slice(from()), show));
  return el("div", { class: "manipula-play" }, play, button("Pause", () => viewer.stop()), slider, told);
}
