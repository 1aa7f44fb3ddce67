// Lines over a common axis by uPlot, in the colours of the page's theme and a palette for every eye (Okabe and Ito).
import type uPlotType from "uplot";

export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b2a100"];

const PALE = "66"; // the alpha of its colour

export interface Lines {
  x: number[];
  series: number[][];
  labels: string[]; // of the series
  units: { x: string; y: string }; // whole axis labels: "t (s)", "τ (N·m)"
  dashed?: boolean[];
  pale?: boolean[]; // wide and pale, below the others: what was wanted, where it is also what happened
  colours?: number[]; // numbers in the palette, where two lines are of one kind
  title?: string;
}

export interface Plot {
  data(x: number[], series: number[][]): void;
  dispose(): void;
}

/** Draws in `el`, as wide as it is, and follows its width and the theme. */
export async function plot(el: HTMLElement, lines: Lines, height = 240): Promise<Plot> {
  const [{ default: uPlot }] = await Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]);
  let current = { x: lines.x, series: lines.series };
  let chart: uPlotType | null = null;
  const draw = () => {
    chart?.destroy();
    chart = new uPlot(options(el, lines, height), [current.x, ...current.series], el);
    el.querySelector("canvas")?.setAttribute("aria-hidden", "true");
  };
  draw();
  el.setAttribute("role", "img");
  el.setAttribute("aria-label", lines.title ?? `${lines.labels.join(", ")}: ${lines.units.y} over ${lines.units.x}`);
  const size = new ResizeObserver(() => chart?.setSize({ width: width(el), height }));
  size.observe(el);
  const theme = new MutationObserver(draw);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", draw);
  return {
    data(x, series) {
      current = { x, series };
      chart?.setData([x, ...series]);
    },
    dispose() {
      size.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", draw);
      chart?.destroy();
    },
  };
}

const width = (el: HTMLElement) => Math.max(el.clientWidth, 200);

function options(el: HTMLElement, lines: Lines, height: number): uPlotType.Options {
  const ink = getComputedStyle(el).color;
  const axis = (label: string): uPlotType.Axis => ({
    label,
    stroke: ink,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    labelSize: 24,
    grid: { stroke: "rgba(128,128,128,0.25)", width: 1 },
    ticks: { stroke: "rgba(128,128,128,0.4)", width: 1 },
    values: (_, marks) => marks.map((mark) => String(Number(mark.toPrecision(6)))), // uPlot would write 0.0004 as 0
  });
  const colour = (k: number): string => `${PALETTE[(lines.colours?.[k] ?? k) % PALETTE.length]}${lines.pale?.[k] ? PALE : ""}`;
  const series = lines.labels.map((label, k): uPlotType.Series => ({
    label,
    stroke: colour(k),
    width: lines.pale?.[k] ? 6 : 1.75,
    dash: lines.dashed?.[k] ? [6, 5] : undefined,
    points: { show: false },
    value: (_, y) => (y == null ? "–" : y.toPrecision(4)),
  }));
  return {
    width: width(el),
    height,
    axes: [axis(lines.units.x), { ...axis(lines.units.y), size: 60, space: 22 }], // closer marks: a low plot would have one
    scales: { x: { time: false } },
    series: [{ label: lines.units.x, value: (_, x) => (x == null ? "–" : x.toPrecision(4)) }, ...series],
    // a sample of each line: filled where it is wide, dashed where it is
    legend: {
      live: true,
      markers: {
        width: 2,
        stroke: (_, i) => colour(i - 1),
        fill: (_, i) => (lines.pale?.[i - 1] ? colour(i - 1) : "transparent"),
        dash: (_: uPlotType, i: number) => (lines.dashed?.[i - 1] ? "dashed" : "solid"),
      },
    },
  };
}
