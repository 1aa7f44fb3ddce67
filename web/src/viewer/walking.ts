// Walk the table: the step of one cell as a moving frame, from where it begins to where it ends, with its path.
import { Group, Matrix4, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { Cell, Drawing } from "../shared/types";
import { displacement, product, stepOf, type Chain } from "./chain";
import type { Label } from "./labels";
import { triad } from "./marks";
import { AMBER } from "./palette";
import { ball, merged, tube } from "./solids";

const SECONDS = 0.9;
const LETTERS: Record<Cell, string> = { theta: "θ", d: "d", a: "a", alpha: "α" };

export interface Stride {
  start: Matrix4; // in the world
  kind: string; // rx … tz, or "screw"
  amount: number;
  pitch: number;
  text: string;
}

/** What a cell of the table does at the present position: a step before or after the motion, or the motion itself. */
export function stride(drawing: Drawing, chain: Chain, q: number[], i: number, cell: Cell): Stride {
  const joint = drawing.joints[i], x = displacement(joint, q), moves = cell === (joint.turn ? "theta" : "d");
  const first = joint.before.findIndex((step) => step[2] === cell), second = joint.after.findIndex((step) => step[2] === cell);
  const motion = new Matrix4().makeRotationZ(joint.turn * x).setPosition(0, 0, joint.slide * x);
  const turned = cell === "theta" || cell === "alpha", name = `${LETTERS[cell]}${i + 1}`;
  const told = (amount: number) =>
    turned ? `${name} = ${((amount * 180) / Math.PI).toFixed(1)}°` : `${name} = ${Number(amount.toPrecision(4))} m`;
  if (moves) {
    const kind = joint.turn ? "rz" : "tz";
    return { start: chain.axes[i].clone(), kind, amount: x, pitch: joint.turn ? joint.slide : 0, text: told(x) };
  }
  const foot = chain.links[joint.parent + 1].clone();
  if (first >= 0) {
    const [kind, amount] = joint.before[first];
    return { start: foot.multiply(product(joint.before.slice(0, first))), kind, amount, pitch: 0, text: told(amount) };
  }
  const behind = chain.axes[i].clone().multiply(motion).multiply(product(joint.after.slice(0, Math.max(second, 0))));
  if (second < 0) return { start: behind, kind: "tx", amount: 0, pitch: 0, text: told(0) };
  const [kind, amount] = joint.after[second];
  return { start: behind, kind, amount, pitch: 0, text: told(amount) };
}

export class Walk {
  readonly root = new Group();
  private readonly traveller: Mesh;
  private timer = 0;

  constructor(private readonly size: number, private readonly draw: () => void, private readonly say: (labels: Label[]) => void) {
    this.traveller = triad(0.17 * size);
    this.root.visible = false;
  }

  at(step: Stride, share: number): Matrix4 {
    const part = stepOf([step.kind, step.amount * share]);
    if (step.pitch) part.setPosition(0, 0, step.pitch * step.amount * share);
    return step.start.clone().multiply(part);
  }

  async go(step: Stride): Promise<void> {
    this.stop();
    this.lay(step);
    this.root.visible = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const begun = performance.now();
    await new Promise<void>((done) => {
      const next = () => {
        const share = still ? 1 : Math.min((performance.now() - begun) / (1000 * SECONDS), 1);
        this.show(step, share * share * (3 - 2 * share));
        if (share < 1) this.timer = requestAnimationFrame(next);
        else done();
      };
      next();
    });
  }

  private show(step: Stride, share: number): void {
    this.traveller.matrix.copy(this.at(step, share));
    this.traveller.matrixWorldNeedsUpdate = true;
    this.say([{ text: step.text, at: new Vector3().setFromMatrixPosition(this.traveller.matrix), colour: AMBER }]);
    this.draw();
  }

  /** The path: of a shift its line, of a turn the bow of an axis that turns. */
  private lay(step: Stride): void {
    this.root.clear();
    const reach = 0.14 * this.size, turns = step.kind[0] === "r", side = step.kind === "rx" ? 1 : 0;
    const arm = turns ? new Vector3().setComponent(side, reach) : new Vector3();
    const points = Array.from({ length: 33 }, (_, k) => arm.clone().applyMatrix4(this.at(step, k / 32)));
    const r = 0.0055 * this.size, pieces = points.slice(1).map((to, k) => [points[k], to] as const);
    const beads = [ball(points[0], r, 10), ...pieces.filter(([a, b]) => a.distanceTo(b) > 1e-9 * this.size).map(([a, b]) => tube(a, b, r, r, 8))];
    const path = new Mesh(merged(beads)!, new MeshBasicMaterial({ color: AMBER, fog: false, depthTest: false, transparent: true }));
    path.renderOrder = 4;
    this.root.add(path, this.traveller);
  }

  stop(): void {
    cancelAnimationFrame(this.timer);
    this.root.visible = false;
    this.say([]);
  }
}
