// What room an arm takes: the ends of its solids, where it stands and in positions spread over its ranges.
import { Matrix4, Vector3 } from "three";
import type { Drawing, Shape } from "../shared/types";
import { Chain, matrixOf, ranges } from "./chain";

function ends(shape: Shape): Vector3[] {
  if (shape.kind === "tube") return [shape.from, shape.to].map((p) => new Vector3().fromArray(p));
  if (shape.kind === "ball") return [new Vector3().fromArray(shape.at)];
  if (shape.kind === "box") return [-0.5, 0.5].map((s) => new Vector3().fromArray(shape.size).multiplyScalar(s).applyMatrix4(matrixOf(shape.frame)));
  if (shape.kind === "mesh") return []; // stays near its link's frame
  const half = new Vector3().fromArray(shape.axis).setLength(shape.length / 2);
  return [-1, 1].map((s) => new Vector3().fromArray(shape.at).addScaledVector(half, s));
}

export class Extent {
  private readonly held: Vector3[][]; // of every link, in its frame

  constructor(private readonly drawing: Drawing) {
    this.held = drawing.links.map((link) => [new Vector3(), ...link.shapes.flatMap(ends)]);
  }

  places(chain: Chain): Vector3[] {
    const seen = (pose: Matrix4, points: Vector3[]) => points.map((p) => p.clone().applyMatrix4(pose));
    const tip = this.drawing.tool.shapes.flatMap(ends);
    return [...chain.links.flatMap((pose, i) => seen(pose, this.held[i] ?? [])), ...seen(chain.tool, [new Vector3(), ...tip])];
  }

  /** The places of so many positions; the same ones every time. */
  spread(count: number): Vector3[][] {
    const chain = new Chain(this.drawing), span = ranges(this.drawing);
    let state = 1;
    const draw = () => (state = (state * 48271) % 2147483647) / 2147483647; // Park and Miller
    return Array.from({ length: count }, () => this.places(chain.move(span.map(([low, high]) => low + draw() * (high - low)))));
  }
}
