// Branches in a person's words: shoulder left or right, elbow up or down, wrist flipped or not. Each word is read off the
// arm as it would stand. Where two branches that differ in one sign would have the same word for it, the sign stays.
import { Matrix4, Vector3 } from "three";
import type { Branch, Drawing } from "./types";
import type { Chain } from "../viewer/chain";

type Word = string;
const TIE = 1e-3; // of the arm's size, and of a turn: what looks the same has no word

const at = (pose: Matrix4): Vector3 => new Vector3().setFromMatrixPosition(pose);
const alongZ = (pose: Matrix4): Vector3 => new Vector3().setFromMatrixColumn(pose, 2);

const ROLE = /(shoulder|elbow|wrist) ([+−])/g;

/** The names with words, in the order of the branches. */
export function postures(branches: Branch[], drawing: Drawing, chain: Chain): string[] {
  const read = new Map<string, Record<string, Word>>();
  for (const { name, q, valid, inside } of branches) {
    if (!(valid || !inside) || !q.every(Number.isFinite) || drawing.dof !== q.length) continue;
    chain.move([...q]);
    read.set(name, Object.fromEntries([...name.matchAll(ROLE)].map(([, role]) => [role!, words[role!]!(drawing, chain, q)])));
  }
  return branches.map(({ name }) =>
    name.replace(ROLE, (whole, role: string, sign: string) => {
      const word = read.get(name)?.[role];
      const twin = read.get(name.replace(whole, `${role} ${sign === "+" ? "−" : "+"}`))?.[role];
      return word && word !== twin ? `${role} ${word}` : whole;
    }),
  );
}

const words: Record<string, (drawing: Drawing, chain: Chain, q: number[]) => Word> = {
  /** The side, seen from axis 1 towards the wrist, on which the plane of the arm passes that axis. */
  shoulder: (drawing, chain) => {
    const wrist = drawing.joints.length > 4 ? chain.axes[4] : undefined;
    if (!wrist || !chain.axes[1]) return "";
    const up = new Vector3().fromArray(drawing.up);
    const [first, across] = [at(chain.axes[0]!), alongZ(chain.axes[1])];
    const reach = at(wrist).sub(first);
    const left = up.clone().cross(reach).normalize();
    const side = reach.dot(across) * across.dot(left);
    return Math.abs(side) < TIE * drawing.size ? "" : side > 0 ? "left" : "right";
  },
  /** Whether the elbow is above the line from the shoulder to the wrist; of an arm that lies, on its left. */
  elbow: (drawing, chain) => {
    const [directions, count] = [chain.axes.map((axis) => alongZ(axis).normalize()), chain.axes.length];
    const like = (i: number): boolean => Math.abs(directions[i]!.dot(directions[i + 1]!)) > 1 - TIE * TIE;
    const i = [0, 1].find((k) => k + 1 < count && like(k)) ?? (count < 4 ? 0 : 1); // the upper arm turns about its axis
    const [a, b, c] = [chain.axes[i], chain.axes[i + 1], count > 4 ? chain.axes[4] : (chain.axes[i + 2] ?? chain.tool)];
    if (!a || !b || !c) return "";
    const [line, bend] = [at(c).sub(at(a)), at(b).sub(at(a))];
    const axis = alongZ(b).normalize();
    for (const one of [line, bend]) one.addScaledVector(axis, -one.dot(axis)); // in the plane of the arm
    const away = bend.addScaledVector(line, -bend.dot(line) / Math.max(line.lengthSq(), 1e-30));
    const up = new Vector3().fromArray(drawing.up);
    const lying = Math.abs(axis.dot(up)) > 0.9;
    const high = away.dot(lying ? up.cross(line).normalize() : up);
    return Math.abs(high) < TIE * drawing.size ? "" : lying ? (high > 0 ? "left" : "right") : high > 0 ? "up" : "down";
  },
  /** Flipped: the forearm is turned by more than a quarter; after three parallel axes joint 5 is negative. */
  wrist: (drawing, chain, q) => {
    if (drawing.dof !== 6) return "";
    const [second, third, fourth] = chain.axes.slice(1, 4).map((axis) => alongZ(axis).normalize());
    const parallel = [third!, fourth!].every((axis) => Math.abs(axis.dot(second!)) > 1 - TIE * TIE);
    const turn = parallel ? Math.sin(q[4]!) : Math.cos(q[3]!);
    return Math.abs(turn) < TIE ? "" : turn > 0 ? "no flip" : "flip";
  },
};
