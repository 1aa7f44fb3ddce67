// Where the sliders of a law's settings begin and end. A slider is for trying; the box beside it takes any number.
export interface Gain {
  start: number;
  low: number;
  high: number;
  unit: string;
}

const GAINS: Readonly<Record<string, Gain>> = {
  kp: { start: 100, low: 0, high: 1000, unit: "SI" },
  kd: { start: 20, low: 0, high: 200, unit: "SI" },
  ki: { start: 50, low: 0, high: 500, unit: "SI" },
  lam: { start: 10, low: 0, high: 50, unit: "1/s" },
  gain: { start: 10, low: 0, high: 100, unit: "SI" },
  layer: { start: 0.05, low: 0.001, high: 1, unit: "rad/s, m/s" },
  smoothing: { start: 0.01, low: 0.001, high: 0.2, unit: "rad/s, m/s" },
  tracking: { start: 10, low: 0, high: 100, unit: "1/s" },
  limit: { start: 200, low: 1, high: 1000, unit: "N·m, N" },
  filter: { start: 0.005, low: 0.001, high: 0.1, unit: "s" },
  gamma: { start: 1, low: 0, high: 20, unit: "SI" },
  psi: { start: 10, low: 0, high: 50, unit: "1/s" },
  frequency: { start: 10, low: 1, high: 50, unit: "rad/s" },
  zeta: { start: 1, low: 0.1, high: 2, unit: "–" },
  inertia: { start: 1, low: 0.05, high: 10, unit: "kg·m²" },
  forgetting: { start: 0.999, low: 0.9, high: 1, unit: "–" },
  covariance: { start: 10, low: 0.1, high: 1000, unit: "SI" },
  share: { start: 1, low: 0, high: 1, unit: "–" },
  singular: { start: 0.04, low: 0, high: 0.5, unit: "–" },
  damping: { start: 0.04, low: 0, high: 0.5, unit: "–" },
  heaviest: { start: 1000, low: 1, high: 5000, unit: "kg" },
  null: { start: 1, low: 0, high: 50, unit: "SI" },
};

const OTHER: Gain = { start: 1, low: 0, high: 20, unit: "SI" };

export const gainOf = (name: string): Gain => GAINS[name] ?? OTHER;

/** Told by the loop itself, not by a slider. */
export const NOT_SLID = new Set(["sample", "lower", "upper"]);
