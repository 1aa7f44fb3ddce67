// Branches as stick figures, all in one frame, seen as the arm is seen.
import { Matrix4, Vector3 } from "three";
import type { Branch, Drawing } from "../../shared/types";
import type { Chain } from "../../viewer/chain";
import { viewpoint } from "../../viewer/viewpoint";

type Point = [x: number, y: number];

export interface Stick {
  links: string; // a path
  joints: Point[];
  flap: string; // of the forearm, as it is turned about itself: it shows a flipped wrist
}

const ROOM = 0.12; // of the arm's size, around them all

/** Their figures, null of a branch that is nowhere; `frame` is the view box of every one. */
export function sticks(branches: Branch[], drawing: Drawing, chain: Chain): { frame: string; size: number; figures: (Stick | null)[] } {
  const up = new Vector3().fromArray(drawing.up);
  const from = viewpoint(up);
  const right = up.clone().cross(from).normalize();
  const above = from.clone().cross(right);
  const seen: Point[] = [];
  const at = (place: Vector3): Point => [place.dot(right), -place.dot(above)];
  const origin = (pose: Matrix4): Vector3 => new Vector3().setFromMatrixPosition(pose);
  const figures = branches.map(({ q, valid, inside }) => {
    if (!(valid || !inside) || q.length !== drawing.dof || !q.every(Number.isFinite)) return null;
    chain.move([...q]);
    const road = chain.road();
    const places = [chain.links[0]!, ...road.flatMap((i) => [chain.axes[i]!, chain.links[i + 1]!]), chain.tool].map((pose) => at(origin(pose)));
    seen.push(...places);
    const joints = road.map((i) => at(origin(chain.axes[i]!)));
    return { links: `M${places.map((place) => place.join()).join("L")}`, joints, flap: drawing.dof === 6 ? flap(chain, drawing.size, at) : "" };
  });
  const [low, high] = [Math.min, Math.max].map((end) => [0, 1].map((k) => end(...seen.map((place) => place[k]!)))) as [Point, Point];
  const room = ROOM * drawing.size;
  const size = Math.max(high[0] - low[0], high[1] - low[1]) + 2 * room || 1;
  const corner = [0, 1].map((k) => (low[k]! + high[k]! - size) / 2);
  return { frame: seen.length ? `${corner.join(" ")} ${size} ${size}` : "0 0 1 1", size, figures };
}

function flap(chain: Chain, size: number, at: (place: Vector3) => Point): string {
  const turned = chain.links[4]!;
  const foot = new Vector3().setFromMatrixPosition(turned);
  const tip = foot.clone().addScaledVector(new Vector3().setFromMatrixColumn(turned, 0), ROOM * size);
  return `M${at(foot).join()}L${at(tip).join()}`;
}
