// The other answers of inverse kinematics as slim skeletons, one colour and one name each: they can be distinguished,
// which translucent arms cannot.
import { Group, Mesh, MeshLambertMaterial, Vector3 } from "three";
import type { Drawing, Ghost } from "../shared/types";
import { Chain } from "./chain";
import type { Label } from "./labels";
import { BRANCHES, REFUSED } from "./palette";
import { ball, merged, tube } from "./solids";

interface Drawn {
  index: number;
  points: Vector3[][];
  colour: string;
  ghost: Ghost;
}

export class Ghosts {
  readonly root = new Group();
  private drawn: Drawn[] = [];
  private readonly chain: Chain;

  constructor(private readonly drawing: Drawing) {
    this.chain = new Chain(drawing);
  }

  set(ghosts: Ghost[]): void {
    this.clear();
    ghosts.forEach((ghost, index) => {
      if (!ghost.q.length || !ghost.q.every(Number.isFinite)) return;
      const colour = ghost.valid ? BRANCHES[index % BRANCHES.length] : REFUSED;
      const points = this.bones(ghost.q);
      this.drawn.push({ index, points, colour, ghost });
      this.root.add(new Mesh(this.skeleton(points, ghost.valid), new MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.25, fog: false })));
    });
  }

  /** From joint to joint along the links: polylines of the tubes of every link, in the world. */
  private bones(q: number[]): Vector3[][] {
    this.chain.move(q);
    return this.drawing.joints.map((joint, i) => {
      const from = new Vector3().setFromMatrixPosition(this.chain.axes[i]);
      const own = new Vector3().setFromMatrixPosition(this.chain.links[i + 1]);
      const next = this.drawing.joints.flatMap((other, k) =>
        other.parent === i ? [new Vector3().setFromMatrixPosition(this.chain.axes[k])] : []);
      const last = this.drawing.tool.on === i ? [new Vector3().setFromMatrixPosition(this.chain.tool)] : [];
      return joint.turn ? [from, own, ...next, ...last] : [own, ...next, ...last];
    });
  }

  private skeleton(points: Vector3[][], valid: boolean) {
    const r = (valid ? 0.008 : 0.005) * this.drawing.size, least = 1e-6 * this.drawing.size;
    const pieces = points.flatMap((way) => way.slice(1).map((to, k) => [way[k], to] as const));
    const bones = pieces.filter(([a, b]) => a.distanceTo(b) > least).map(([a, b]) => tube(a, b, r, r, 8).toNonIndexed());
    const knots = points.flat().map((at) => ball(at, 1.9 * r, 10).toNonIndexed());
    return merged([...bones, ...knots])!;
  }

  /** At the middle joint, where branches differ most; what is refused without a word is seen, not named. */
  labels(): Label[] {
    return this.drawn.filter(({ ghost }) => ghost.valid || ghost.reason).map(({ points, colour, ghost }) => {
      const ways = points.flat(), at = ways[Math.floor(ways.length / 2)];
      return { text: ghost.reason ? `${ghost.name}: ${ghost.reason}` : ghost.name, at, colour };
    });
  }

  /** The ghost within a few pixels of a place on the screen; −1: none. */
  near(x: number, y: number, project: (point: Vector3) => Vector3): number {
    let found = -1, least = 9;
    for (const { index, points } of this.drawn)
      for (const way of points)
        way.slice(1).forEach((to, k) => {
          const d = distance(x, y, project(way[k]), project(to));
          if (d < least) [found, least] = [index, d];
        });
    return found;
  }

  clear(): void {
    for (const mesh of this.root.children as Mesh[]) mesh.geometry.dispose();
    this.root.clear();
    this.drawn = [];
  }
}

function distance(x: number, y: number, a: Vector3, b: Vector3): number {
  const u = b.x - a.x, v = b.y - a.y, square = u * u + v * v || 1;
  const along = Math.min(1, Math.max(0, ((x - a.x) * u + (y - a.y) * v) / square));
  return Math.hypot(x - a.x - along * u, y - a.y - along * v);
}
