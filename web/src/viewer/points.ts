// Where the tool has been, and where it can be.
import {
  BufferAttribute, BufferGeometry, IcosahedronGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, Points, PointsMaterial, Vector3,
} from "three";
import type { Drawing } from "../shared/types";
import { Chain, ranges } from "./chain";
import { CLOUD, TRAIL } from "./palette";

const MOST = 3000; // beads of a trail; then the oldest go

/** Beads, since lines are one pixel wide in WebGL. */
export class Trail {
  readonly mesh: InstancedMesh;
  private readonly step: number;
  private readonly last = new Vector3(Infinity, 0, 0);
  private next = 0;

  constructor(drawing: Drawing) {
    this.step = 0.006 * drawing.size;
    const bead = new IcosahedronGeometry(0.0045 * drawing.size, 1);
    this.mesh = new InstancedMesh(bead, new MeshBasicMaterial({ color: TRAIL, fog: false }), MOST);
    this.mesh.frustumCulled = false;
    this.clear();
  }

  /** Beads along the way from the last place to this one; a jump leaves none between. */
  add(at: Vector3, jump = false): void {
    const gap = at.distanceTo(this.last);
    if (gap < this.step) return;
    const count = jump || !Number.isFinite(gap) ? 1 : Math.min(Math.ceil(gap / this.step), 200);
    for (let k = 1; k <= count; k++) {
      const bead = count === 1 ? at : this.last.clone().lerp(at, k / count);
      this.mesh.setMatrixAt(this.next % MOST, new Matrix4().makeTranslation(bead));
      this.next++;
    }
    this.mesh.count = Math.min(this.next, MOST);
    this.mesh.instanceMatrix.needsUpdate = true;
    this.last.copy(at);
  }

  clear(): void {
    this.next = this.mesh.count = 0;
    this.last.set(Infinity, 0, 0);
  }
}

/** Where the tool comes at positions that fill the ranges evenly (multiples of irrational numbers, modulo 1). */
export function cloud(drawing: Drawing, count = 16000): Points {
  const chain = new Chain(drawing), own = ranges(drawing), places = new Float32Array(3 * count);
  let root = 1.5; // of x^(d + 1) = x + 1
  for (let k = 0; k < 64; k++) root = (1 + root) ** (1 / (drawing.dof + 1));
  for (let k = 0; k < count; k++) {
    const q = own.map(([low, high], c) => low + (high - low) * ((0.5 + k * root ** -(c + 1)) % 1));
    chain.move(q);
    places.set(new Vector3().setFromMatrixPosition(chain.tool).toArray(), 3 * k);
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3));
  const material = new PointsMaterial({ color: CLOUD, size: 0.008 * drawing.size, transparent: true, opacity: 0.5, depthWrite: false, fog: false });
  return new Points(geometry, material);
}
