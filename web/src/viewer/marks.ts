// What is drawn about an arm: frames, axes, ranges, centres of mass, ellipsoids of inertia, weights and torques.
import {
  BufferGeometry, DoubleSide, Group, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, RingGeometry,
  SphereGeometry, TorusGeometry, Vector3,
} from "three";
import type { Drawing } from "../shared/types";
import { displacement, matrixOf, type Chain } from "./chain";
import { AMBER, AXES } from "./palette";
import { ball, merged, painted, tube } from "./solids";

const Z = new Vector3(0, 0, 1);
const flat = (colour: string, opacity = 1) =>
  new MeshBasicMaterial({ color: colour, transparent: opacity < 1, opacity, side: DoubleSide, depthWrite: opacity === 1, fog: false });
const still = (mesh: Mesh | Group) => Object.assign(mesh, { matrixAutoUpdate: false });

export function arrow(from: Vector3, to: Vector3, r: number, colour: string): BufferGeometry {
  const way = to.clone().sub(from), neck = from.clone().addScaledVector(way, Math.max(0, 1 - (5 * r) / (way.length() || 1)));
  return merged([painted(tube(from, neck, r, r, 10), colour), painted(tube(neck, to, 2.4 * r, 1e-6, 12), colour)])!;
}

export function triad(size: number): Mesh {
  const parts = AXES.map((colour, k) => {
    const tip = new Vector3().setComponent(k, size);
    return arrow(new Vector3(), tip, 0.035 * size, colour);
  });
  const mesh = new Mesh(merged(parts)!, new MeshLambertMaterial({ vertexColors: true, emissive: 0x333333, fog: false }));
  return still(mesh) as Mesh;
}

/** One triad for each link, to be shown or not; the base's and the tool's are the first and the last. */
export class Frames {
  readonly root = new Group();
  private readonly triads: Mesh[];

  constructor(private readonly drawing: Drawing) {
    const S = drawing.size;
    this.triads = [...drawing.links.map((_, i) => triad((i ? 0.09 : 0.12) * S)), triad(0.11 * S)];
    this.root.add(...this.triads);
  }

  set(chain: Chain, all: boolean, grown: boolean): void {
    [...chain.links, chain.tool].forEach((pose, i) => {
      const mesh = this.triads[i], end = i === this.triads.length - 1;
      mesh.visible = all || end || i === 0;
      mesh.matrix.copy(pose);
      if (end && grown) mesh.matrix.scale(new Vector3(1.3, 1.3, 1.3));
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  get size(): number {
    return this.drawing.size;
  }
}

/** The axes of the joints as long amber rods. */
export class Axes {
  readonly root = new Group();

  constructor(drawing: Drawing) {
    const S = drawing.size, half = 0.13 * S;
    for (const joint of drawing.joints) {
      const rod = arrow(Z.clone().multiplyScalar(-half), Z.clone().multiplyScalar(half), 0.004 * S, AMBER);
      const mesh = still(new Mesh(rod, new MeshBasicMaterial({ vertexColors: true, fog: false }))) as Mesh;
      mesh.name = joint.name;
      this.root.add(mesh);
    }
  }

  set(chain: Chain, all: boolean, some: Set<number>): void {
    this.root.children.forEach((mesh, i) => {
      mesh.visible = all || some.has(i);
      mesh.matrix.copy(chain.axes[i]);
      mesh.matrixWorldNeedsUpdate = true;
    });
  }
}

/** Where each joint may go: a sector about its axis or a bar along it, and a hand where it is. */
export class Ranges {
  readonly root = new Group();
  private readonly hands: (Mesh | null)[] = [];

  constructor(private readonly drawing: Drawing) {
    drawing.joints.forEach((joint, i) => this.add(i, joint.limits ?? joint.range));
  }

  private add(i: number, range: [number, number] | null): void {
    const joint = this.drawing.joints[i], group = still(new Group()) as Group, r = 0.1 * this.drawing.size;
    this.root.add(group);
    this.hands.push(null);
    if (!range || joint.index < 0) return;
    const ends = range.map((q) => joint.offset + joint.scale * q).sort((a, b) => a - b);
    if (joint.turn) {
      const [low, high] = ends.map((x) => x * joint.turn).sort((a, b) => a - b);
      const wide = Math.min(high - low, 2 * Math.PI);
      group.add(new Mesh(new RingGeometry(0.8 * r, r, 48, 1, low, wide), flat(AMBER, joint.limits ? 0.5 : 0.22)));
      this.hands[i] = new Mesh(tube(new Vector3(0.55 * r, 0, 0), new Vector3(1.15 * r, 0, 0), 0.05 * r, 0.05 * r, 8), flat("#0072b2"));
    } else {
      const [a, b] = ends.map((x) => new Vector3(0.7 * r, 0, x * joint.slide));
      group.add(new Mesh(tube(a, b, 0.06 * r, 0.06 * r, 8), flat(AMBER, 0.6)));
      this.hands[i] = new Mesh(ball(new Vector3(0.7 * r, 0, 0), 0.14 * r, 12), flat("#0072b2"));
    }
    group.add(still(this.hands[i]!));
  }

  set(chain: Chain, q: number[]): void {
    this.root.children.forEach((group, i) => {
      const joint = this.drawing.joints[i], x = displacement(joint, q);
      group.matrix.copy(chain.axes[i]);
      group.matrixWorldNeedsUpdate = true;
      this.hands[i]?.matrix.makeRotationZ(joint.turn * x).setPosition(0, 0, joint.turn ? 0 : joint.slide * x);
    });
  }
}

/** Centres of mass, and the uniform ellipsoids that have the links' inertia: seen through the links. */
export class Bodies {
  readonly centres = new Group();
  readonly ellipsoids = new Group();
  readonly whole: Mesh;
  private readonly mass: number;

  constructor(private readonly drawing: Drawing) {
    const S = drawing.size, through = { depthTest: false, transparent: true };
    this.mass = drawing.links.reduce((sum, link) => sum + (link.com ? (link.mass ?? 0) : 0), 0);
    for (const link of drawing.links) {
      const dot = new Mesh(new SphereGeometry(0.011 * S, 16, 10), Object.assign(flat("#000000"), through));
      dot.add(new Mesh(new SphereGeometry(0.007 * S, 16, 10), Object.assign(flat("#f0e442"), through)));
      dot.visible = link.com !== null;
      dot.renderOrder = 5;
      dot.children[0].renderOrder = 6;
      this.centres.add(still(dot));
      const egg = new Mesh(new SphereGeometry(1, 28, 18), Object.assign(flat("#cc79a7", 0.45), through));
      egg.visible = link.ellipsoid !== null;
      egg.renderOrder = 3;
      this.ellipsoids.add(still(egg));
    }
    this.whole = still(new Mesh(new SphereGeometry(0.018 * S, 20, 12), Object.assign(flat("#d55e00"), through))) as Mesh;
    this.whole.visible = this.mass > 0;
    this.whole.renderOrder = 5;
    this.centres.add(this.whole);
  }

  set(chain: Chain): void {
    const sum = new Vector3();
    this.drawing.links.forEach((link, i) => {
      if (link.com) {
        const at = new Vector3().fromArray(link.com).applyMatrix4(chain.links[i]);
        this.centres.children[i].matrix.makeTranslation(at);
        sum.addScaledVector(at, (link.mass ?? 0) / (this.mass || 1));
      }
      if (link.ellipsoid) {
        const radii = link.ellipsoid.radii.map((r) => Math.max(r, 1e-4 * this.drawing.size));
        this.ellipsoids.children[i].matrix
          .multiplyMatrices(chain.links[i], matrixOf(link.ellipsoid.frame))
          .scale(new Vector3().fromArray(radii));
      }
    });
    this.whole.matrix.makeTranslation(sum);
    for (const mesh of [...this.centres.children, ...this.ellipsoids.children]) mesh.matrixWorldNeedsUpdate = true;
  }
}

export interface Push {
  at: number[]; // in the world, metres
  force: number[]; // newtons
}

/** Weights at the centres of mass, pushes from outside, and torques as bent arrows about the axes. */
export class Forces {
  readonly root = new Group();
  pushes: Push[] = [];
  torques: number[] | null = null;

  constructor(private readonly drawing: Drawing) {}

  set(chain: Chain, torques: number[] | null): void {
    this.root.children.forEach((mesh) => (mesh as Mesh).geometry.dispose());
    this.root.clear();
    const S = this.drawing.size, down = new Vector3().fromArray(this.drawing.up).negate();
    const weights = this.drawing.links.map((link, i) => (i && link.com ? (link.mass ?? 0) : 0));
    const heaviest = Math.max(...weights, 1e-9);
    this.drawing.links.forEach((link, i) => {
      if (weights[i] < 1e-3 * heaviest) return;
      const at = new Vector3().fromArray(link.com!).applyMatrix4(chain.links[i]);
      this.add(arrow(at, at.clone().addScaledVector(down, S * (0.05 + (0.13 * weights[i]) / heaviest)), 0.006 * S, "#0072b2"));
    });
    const most = Math.max(...this.pushes.map((push) => Math.hypot(...push.force)), 1e-9);
    for (const push of this.pushes) {
      const at = new Vector3().fromArray(push.at), way = new Vector3().fromArray(push.force);
      this.add(arrow(at.clone().addScaledVector(way, (-0.22 * S) / most), at, 0.008 * S, "#d55e00"));
    }
    this.bent(chain, torques);
  }

  /** A bow about each axis, as long as the torque is large beside the largest. */
  private bent(chain: Chain, torques: number[] | null): void {
    const values = torques ?? [], most = Math.max(...values.map(Math.abs), 1e-9), S = this.drawing.size;
    this.drawing.joints.forEach((joint, i) => {
      const value = joint.index >= 0 && joint.range ? (values[joint.index] ?? 0) * joint.scale : 0;
      if (Math.abs(value) < 1e-3 * most) return;
      const angle = (0.25 + 1.35 * (Math.abs(value) / most)) * Math.PI, r = 0.095 * S, sense = Math.sign(value * joint.turn) || 1;
      const bow = painted(new TorusGeometry(r, 0.006 * S, 8, 40, angle), "#cc79a7");
      const end = new Vector3(r * Math.cos(angle), r * Math.sin(angle), 0);
      const ahead = new Vector3(-Math.sin(angle), Math.cos(angle), 0).multiplyScalar(0.045 * S);
      const head = painted(tube(end, end.clone().add(ahead), 0.016 * S, 1e-6, 12), "#cc79a7");
      const mirror = new Matrix4().makeRotationFromQuaternion(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), sense < 0 ? Math.PI : 0));
      this.add(joint.turn ? merged([bow, head])!.applyMatrix4(mirror).applyMatrix4(chain.axes[i]) : along(chain.axes[i], value * joint.slide, most, S));
    });
  }

  private add(geometry: BufferGeometry): void {
    this.root.add(new Mesh(geometry, new MeshLambertMaterial({ vertexColors: true, emissive: 0x333333, fog: false })));
  }
}

/** The force of a joint that slides. */
function along(axis: Matrix4, value: number, most: number, S: number): BufferGeometry {
  const end = Z.clone().multiplyScalar(Math.sign(value) * S * (0.06 + (0.16 * Math.abs(value)) / most));
  return arrow(new Vector3(), end, 0.008 * S, "#cc79a7").applyMatrix4(axis);
}
