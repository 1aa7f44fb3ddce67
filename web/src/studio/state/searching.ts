// Answers for the tool's pose of an arm without a closed form: searched when the arm rests and somebody looks at them.
import { computed, effect, signal } from "@preact/signals";
import { distance, searching, type Searched, type Span } from "../../shared/searching";
import type { Branches, Matrix } from "../../shared/types";
import { t } from "../language";
import { inWords } from "./branch_words";
import { branches, coordinates, pose, q, range, shown } from "./arm";
import { module, values } from "./drawing";

const RESTING_MS = 250;
const SLICE_MS = 8; // of work between two pictures
const SAME = 1e-5; // m, and of directions

/** How many look at the answers: the panel, while it is open. */
export const looking = signal(0);

const found = signal<(Searched & { at: Matrix; done: boolean }) | null>(null);
const spans = computed<Span[]>(() =>
  coordinates.value.map((joint) => {
    const { low, high, given } = range(joint);
    return { low, high, turning: joint.unit === "rad" && !given };
  }),
);

const alike = (a: Matrix, b: Matrix): boolean => a.every((row, i) => row.every((x, j) => Math.abs(x - b[i]![j]!) < SAME));

/** What has been found for where the tool is now; null where the closed form answers, or nothing can be searched. */
export const searched = computed<(Searched & { done: boolean; nearest: number }) | null>(() => {
  const own = found.value;
  if (!own || branches.value || !pose.value || !alike(own.at, pose.value)) return null;
  const away = own.branches.map((one) => distance(one.q, q.value, spans.value));
  const nearest = away.indexOf(Math.min(...away));
  return { ...own, branches: own.branches.map((one) => ({ ...one, name: t("found {0}", one.name) })), nearest: away[nearest]! < 1e-3 ? nearest : -1 };
});

/** Answers of the closed form, or those that were searched. */
export const answers = computed<Branches | null>(() => (branches.value ? inWords(branches.value) : searched.value));

/** Begins to search when the arm rests; called once. */
export function followSearch(): void {
  effect(() => {
    const made = module.value;
    const at = pose.value;
    const p = values.value;
    const wanted = looking.value > 0 || shown.value.branches;
    if (!made?.drag || made.inverse_kinematics || !at || !wanted || q.value.length !== made.robot.dof) return undefined;
    if (found.peek() && alike(found.peek()!.at, at) && found.peek()!.done) return undefined;
    const steps = searching(made, spans.value, at, q.value, p);
    let timer = setTimeout(go, RESTING_MS);
    function go(): void {
      const until = performance.now() + SLICE_MS;
      let step = steps.next();
      while (!step.done && performance.now() < until) step = steps.next();
      found.value = { ...step.value, at: at!, done: step.done === true };
      if (!step.done) timer = setTimeout(go, 0);
    }
    return () => clearTimeout(timer);
  });
}
