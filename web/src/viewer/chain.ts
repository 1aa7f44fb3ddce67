// Where the links of a drawing are: the product of its own steps. No model is needed, so an arm moves while its table
// is being typed; poses are those of the emitted `frames`.
import { Matrix4, Vector3 } from "three";
import type { DrawnJoint, Drawing, Matrix, Step } from "../shared/types";

export function matrixOf(rows: Matrix): Matrix4 {
  return new Matrix4().set(...(rows.flat() as Parameters<Matrix4["set"]>));
}

export function stepOf([kind, amount]: Step | [string, number]): Matrix4 {
  const found = new Matrix4();
  if (kind[0] === "t") {
    const [x, y, z] = ["tx", "ty", "tz"].map((axis) => (axis === kind ? amount : 0));
    return found.makeTranslation(x, y, z);
  }
  if (kind === "rx") return found.makeRotationX(amount);
  return kind === "ry" ? found.makeRotationY(amount) : found.makeRotationZ(amount);
}

export const product = (steps: Step[]): Matrix4 => steps.reduce((all, step) => all.multiply(stepOf(step)), new Matrix4());

/** x = offset + Σ factor · q */
export function displacement(joint: DrawnJoint, q: number[]): number {
  return joint.terms.reduce((x, [c, factor]) => x + factor * (q[c] ?? 0), joint.offset);
}

export class Chain {
  readonly links: Matrix4[]; // pose_world_link, the base first
  readonly axes: Matrix4[]; // frame of joint i, whose z is its axis
  readonly tool = new Matrix4();
  private readonly before: Matrix4[];
  private readonly after: Matrix4[];
  private readonly grip: Matrix4;
  private readonly motion = new Matrix4();

  constructor(readonly drawing: Drawing) {
    this.before = drawing.joints.map((joint) => product(joint.before));
    this.after = drawing.joints.map((joint) => product(joint.after));
    this.links = [matrixOf(drawing.base), ...drawing.joints.map(() => new Matrix4())];
    this.axes = drawing.joints.map(() => new Matrix4());
    this.grip = matrixOf(drawing.tool.frame);
  }

  /** pose = pose_parent · before · motion · after */
  move(q: number[]): this {
    this.drawing.joints.forEach((joint, i) => {
      const x = displacement(joint, q);
      this.axes[i].multiplyMatrices(this.links[joint.parent + 1], this.before[i]);
      this.motion.makeRotationZ(joint.turn * x).setPosition(0, 0, joint.slide * x);
      this.links[i + 1].multiplyMatrices(this.axes[i], this.motion).multiply(this.after[i]);
    });
    this.tool.multiplyMatrices(this.links[this.drawing.tool.on + 1], this.grip);
    return this;
  }

  /** Columns of the tool's Jacobian by coordinate: linear over angular velocity, in the world. */
  jacobian(): number[][] {
    const columns = Array.from({ length: this.drawing.dof }, () => [0, 0, 0, 0, 0, 0]);
    const tip = new Vector3().setFromMatrixPosition(this.tool);
    for (const i of this.road()) {
      const joint = this.drawing.joints[i];
      const axis = new Vector3().setFromMatrixColumn(this.axes[i], 2);
      const lever = tip.clone().sub(new Vector3().setFromMatrixPosition(this.axes[i]));
      const linear = axis.clone().cross(lever).multiplyScalar(joint.turn).addScaledVector(axis, joint.slide);
      const twist = [...linear.toArray(), ...axis.multiplyScalar(joint.turn).toArray()];
      for (const [c, factor] of joint.terms) twist.forEach((value, k) => (columns[c][k] += factor * value));
    }
    return columns;
  }

  /** The joints from the base to the tool. */
  road(): number[] {
    const found: number[] = [];
    for (let i = this.drawing.tool.on; i >= 0; i = this.drawing.joints[i].parent) found.unshift(i);
    return found;
  }
}

/** The range of every coordinate: limits, or what a slider shows where there are none. */
export function ranges(drawing: Drawing): [number, number][] {
  const found = Array.from({ length: drawing.dof }, (): [number, number] => [-Math.PI, Math.PI]);
  for (const joint of drawing.joints) if (joint.range && joint.index >= 0) found[joint.index] = joint.range;
  return found;
}

/** Hard limits by coordinate; null where a joint has no limit. */
export function limits(drawing: Drawing): ([number, number] | null)[] {
  const found: ([number, number] | null)[] = Array.from({ length: drawing.dof }, () => null);
  for (const joint of drawing.joints) if (joint.range && joint.index >= 0) found[joint.index] = joint.limits;
  return found;
}

/** A first position inside all ranges: the robot's home, else bent enough to look like an arm. */
export function firstPose(drawing: Drawing): number[] {
  const home = drawing.poses.home ?? drawing.poses.ready ?? drawing.rest;
  if (home?.length === drawing.dof) return [...home];
  return ranges(drawing).map(([low, high], c) => {
    const joint = drawing.joints.find((one) => one.index === c && one.range);
    const wish = joint && !joint.turn ? low + 0.55 * (high - low) : [0.4, -0.6, -0.6, 0.3, 0.7, 0.2, 0.4][c % 7];
    return Math.min(Math.max(wish, low + 0.1 * (high - low)), high - 0.1 * (high - low));
  });
}
