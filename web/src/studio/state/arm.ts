// The arm's position and what is shown of it. One state: sliders, boxes, the dragged tool, plots and keys all write q.
import { computed, effect, signal } from "@preact/signals";
import type { Branches, DrawnJoint, Matrix, Shown } from "../../shared/types";
import { drawing, module, values } from "./drawing";
import { chainType } from "./viewing";
import { opened, welcome } from "./work";

export const q = signal<number[]>([]);
/** Why the arm stands where it stands: "slider", "drag", a branch's name … */
export const why = signal("");

export const shown = signal<Shown>({
  frames: true,
  axes: false,
  names: false,
  ranges: false,
  com: false,
  inertia: false,
  trail: false,
  cloud: false,
  branches: false,
  forces: false,
  payload: true,
});
export const show = (change: Partial<Shown>): void => void (shown.value = { ...shown.value, ...change });

/** The joint that the keys + and − move. */
export const chosen = signal(0);

// the joint with a slider of its own, not one that follows it
const leader = (joints: DrawnJoint[], i: number): DrawnJoint | undefined =>
  joints.find((joint) => joint.index === i && joint.range !== null) ?? joints.find((joint) => joint.terms.some(([c]) => c === i));

/** One entry for each coordinate: the joint that moves with it. */
export const coordinates = computed<DrawnJoint[]>(() => {
  const picture = drawing.value;
  if (!picture) return [];
  return Array.from({ length: picture.dof }, (_, i) => leader(picture.joints, i)).filter((joint) => joint !== undefined);
});

/** Where a joint's slider goes, and whether the file says so. */
export function range(joint: DrawnJoint): { low: number; high: number; given: boolean } {
  const [low, high] = joint.limits ?? joint.range ?? [-Math.PI, Math.PI];
  return { low, high, given: joint.limits !== null };
}

export const home = (): number[] => {
  const picture = drawing.value;
  const named = picture?.poses["home"];
  if (named?.length === picture?.dof) return [...named!];
  return coordinates.value.map((joint) => within(joint, 0));
};

function within(joint: DrawnJoint, value: number): number {
  const { low, high } = range(joint);
  return Math.min(high, Math.max(low, value));
}

/** The welcome's own waving ends with whatever else moves the arm. */
export function move(next: number[], reason: string): void {
  if (reason !== "welcome" && reason !== "new arm") welcome.value = false;
  q.value = next;
  why.value = reason;
}

export function moveJoint(index: number, value: number, reason = "slider"): void {
  if (index < q.value.length) move(q.value.with(index, value), reason);
}

/** A step of the keys: two degrees, or a hundredth of the arm's size. */
export function nudge(way: number): void {
  const joint = coordinates.value[chosen.value];
  if (!joint) return;
  const step = joint.unit === "rad" ? Math.PI / 90 : (drawing.value?.size ?? 1) / 100;
  moveJoint(chosen.value, within(joint, (q.value[chosen.value] ?? 0) + way * step), "key");
}

const chain = computed(() => (drawing.value && chainType.value ? new chainType.value(drawing.value) : null));

export const pose = computed<Matrix | null>(() => {
  const made = module.value;
  if (made?.pose && q.value.length === made.robot.dof) return made.pose(q.value, values.value);
  const placed = chain.value?.move(q.value).tool.elements;
  return placed ? [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((column) => placed[4 * column + row]!)) : null;
});

/** The position a person chose last: branches are those of its tool pose. */
export const branches = computed<Branches | null>(() => {
  const made = module.value;
  const target = pose.value;
  if (!made?.inverse_kinematics || !target || q.value.length !== made.robot.dof) return null;
  const parameter = made.redundancy_parameter?.(q.value, values.value);
  return made.inverse_kinematics(target, values.value, { near: q.value, limits: true, ...(parameter === undefined ? {} : { parameter }) });
});

/** Another arm begins in a pose that shows it well; an edited one stays where it is. */
export function followDrawing(): void {
  let last = opened.peek();
  effect(() => {
    const picture = drawing.value;
    if (!picture) return;
    const kept = opened.peek() === last ? q.peek() : [];
    last = opened.peek();
    if (kept.length === picture.dof) return;
    move((picture.rest ?? home()).map((value, i) => kept[i] ?? value), "new arm");
  });
}
