// The position that brings the tool to a target: by the robot's own inverse kinematics where there is one, else by
// damped least squares on the drawing's Jacobian, dq = Jᵀ W e solved from (JᵀWJ + λ²1) dq = JᵀW e.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Branch, Drawing, Matrix, RobotModule } from "../shared/types";
import { Chain, limits } from "./chain";

export interface Reached {
  q: number[];
  said: string; // what a person should know; "" mostly
}

const STEPS = 12;

export function rowsOf(T: Matrix4): Matrix {
  const e = T.elements;
  return [0, 1, 2, 3].map((r) => [e[r], e[r + 4], e[r + 8], e[r + 12]]);
}

export class Reaching {
  module: RobotModule | null = null;
  private readonly chain: Chain;
  private branch = "";

  constructor(private readonly drawing: Drawing) {
    this.chain = new Chain(drawing);
  }

  /** Every answer of the closed form for a target; null where the arm has no closed form. */
  branches(T: Matrix4, q: number[]): { branches: Branch[]; nearest: number } | null {
    const m = this.module;
    if (!m?.inverse_kinematics) return null;
    try {
      const parameter = m.redundancy_parameter?.(q);
      return m.inverse_kinematics(rowsOf(T), undefined, { parameter, near: q, limits: true });
    } catch {
      return null;
    }
  }

  solve(T: Matrix4, q: number[]): Reached {
    const pulled = this.pulled(T, q);
    if (pulled) return pulled;
    const found = this.branches(T, q), best = found && found.nearest >= 0 ? found.branches[found.nearest] : null;
    if (!best || !best.q.every(Number.isFinite)) return this.search(T, q);
    const changed = this.branch !== "" && best.name !== "" && best.name !== this.branch;
    const said = changed ? `branch changed: ${this.branch} → ${best.name}` : "";
    this.branch = best.name;
    return { q: best.q, said };
  }

  /** By the robot's own module: it never jumps from one branch to another. */
  private pulled(T: Matrix4, start: number[]): Reached | null {
    const m = this.module;
    if (!m?.drag) return null;
    try {
      const { q, placed, branch } = m.drag(start, rowsOf(T));
      if (!q.every(Number.isFinite)) return null;
      this.branch = m.robot.branches[branch]?.name ?? this.branch;
      return { q, said: placed ? "" : "the target is out of reach; the tool is as near as it gets" };
    } catch {
      return null;
    }
  }

  private search(T: Matrix4, start: number[]): Reached {
    let q = [...start];
    const goal = new Vector3().setFromMatrixPosition(T), own = limits(this.drawing);
    for (let k = 0; k < STEPS; k++) {
      this.chain.move(q);
      const error = this.error(T);
      if (Math.hypot(...error) < 1e-7 * this.drawing.size) break;
      const step = solved(this.chain.jacobian(), error, 0.02 * this.drawing.size);
      q = q.map((value, c) => clamp(value + step[c], own[c]));
    }
    this.chain.move(q);
    const left = goal.distanceTo(new Vector3().setFromMatrixPosition(this.chain.tool));
    return { q, said: left > 0.01 * this.drawing.size ? "the target is out of reach; the tool is as near as it gets" : "" };
  }

  /** Of place and, where the arm has joints enough, of attitude as a length. */
  private error(T: Matrix4): number[] {
    const now = this.chain.tool;
    const shift = new Vector3().setFromMatrixPosition(T).sub(new Vector3().setFromMatrixPosition(now));
    const most = 0.25 * this.drawing.size;
    if (shift.length() > most) shift.setLength(most);
    if (this.drawing.dof < 6) return [...shift.toArray(), 0, 0, 0];
    const turn = new Quaternion().setFromRotationMatrix(T).multiply(new Quaternion().setFromRotationMatrix(now).invert());
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    return [...shift.toArray(), ...[turn.x, turn.y, turn.z].map((x) => 2 * x)];
  }
}

const clamp = (x: number, range: [number, number] | null) => (range ? Math.min(Math.max(x, range[0]), range[1]) : x);

/** (JᵀWJ + λ²1) dq = JᵀW e by Gauss; columns of J are given. Attitude counts only where the error has some. */
function solved(columns: number[][], e: number[], damping: number): number[] {
  const weigh = e.slice(3).some((x) => x !== 0) ? 0.09 : 0;
  const W = [1, 1, 1, weigh, weigh, weigh], n = columns.length;
  const A = columns.map((a, i) => [
    ...columns.map((b, j) => a.reduce((sum, value, k) => sum + W[k] * value * b[k], 0) + (i === j ? damping * damping : 0)),
    a.reduce((sum, value, k) => sum + W[k] * value * e[k], 0),
  ]);
  for (let k = 0; k < n; k++)
    for (let i = k + 1; i < n; i++) {
      const factor = A[i][k] / A[k][k]; // positive definite: no pivot is zero
      for (let j = k; j <= n; j++) A[i][j] -= factor * A[k][j];
    }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) x[i] = (A[i][n] - A[i].slice(i + 1, n).reduce((sum, a, k) => sum + a * x[i + 1 + k], 0)) / A[i][i];
  return x;
}
