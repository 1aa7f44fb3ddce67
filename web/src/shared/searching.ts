// Answers of inverse kinematics where there is no closed form: the robot's own steps from many starts, those that arrive
// and differ. Nobody knows whether they are all.
import type { Branch, Matrix, RobotModule } from "./types";

export const STARTS = 64;
const MOST = 8; // answers: more are not looked at
const STEPS = 120;
const NEAR = 1e-3; // rad or m: the same answer
const APART = 0.8; // where there are endlessly many: those that look different

export interface Searched {
  branches: Branch[];
  starts: number; // tried so far
  endless: boolean; // more joints than a pose asks for
}

/** Where a coordinate may go; `turning`: round and round, without limits. */
export interface Span {
  low: number;
  high: number;
  turning: boolean;
}

/** How far apart two positions are, whole turns left out where a joint turns freely. */
export function distance(a: number[], b: number[], spans: readonly Span[]): number {
  return Math.max(...a.map((x, i) => (spans[i]?.turning ? Math.abs(Math.atan2(Math.sin(x - b[i]!), Math.cos(x - b[i]!))) : Math.abs(x - b[i]!))));
}

/** Evenly over the ranges: multiples of irrational numbers, modulo 1. The same each time. */
function start(k: number, spans: readonly Span[]): number[] {
  let x = 1.5; // the root of x^(d + 1) = x + 1
  for (let i = 0; i < 40; i++) x = (1 + x) ** (1 / (spans.length + 1));
  return spans.map(({ low, high }, i) => low + (high - low) * ((0.5 + (k + 1) * x ** -(i + 1)) % 1));
}

/** Goes on one start at a time; the present position is the first answer. */
export function* searching(module: RobotModule, spans: readonly Span[], T: Matrix, here: number[], p?: number[]): Generator<Searched, Searched> {
  const endless = module.robot.dof > 6;
  const answer = (q: number[], k: number): Branch => ({ name: `${k}`, q, valid: true, inside: true, reason: "", residual: 0 });
  let found: Searched = { branches: [answer(here, 1)], starts: 0, endless };
  for (let k = 0; k < STARTS && found.branches.length < MOST; k++) {
    const { q: end, reached } = module.drag!(start(k, spans), T, p, { steps: STEPS });
    const q = end.map((x, i) => (spans[i]?.turning ? Math.atan2(Math.sin(x), Math.cos(x)) : x));
    const apart = endless ? APART : NEAR;
    const other = reached && found.branches.every((one) => distance(one.q, q, spans) > apart);
    found = { branches: other ? [...found.branches, answer(q, found.branches.length + 1)] : found.branches, starts: k + 1, endless };
    yield found;
  }
  return found;
}
