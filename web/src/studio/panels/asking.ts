// Panels ask by themselves when they are opened and when the table has changed; an answer for an older table is greyed.
import { signal, useSignalEffect, type Signal } from "@preact/signals";
import { language } from "../language";
import { drawn, known, stale, standIns } from "../state/drawing";
import type { Job } from "../state/jobs";
import { opened, robot } from "../state/work";

const TYPING_MS = 300; // a cell is typed letter by letter: only the last is asked about
const QUICK_MS = 400; // what took no longer is asked at every letter

interface About {
  opened: number; // which robot the question was about
  digest: string; // and what its table said
}
const about = new WeakMap<Job<unknown>, Signal<About | null>>();

const aboutOf = (job: Job<unknown>): Signal<About | null> => {
  const found = about.get(job) ?? signal<About | null>(null);
  about.set(job, found);
  return found;
};

/** Asks about the robot that is drawn; the answer is shown as its own, and as no other's. */
export function ask<T>(job: Job<T>, path: string, body: object | FormData): void {
  const last = aboutOf(job as Job<unknown>);
  if (last.peek()?.opened !== opened.peek()) job.result.value = null;
  last.value = { opened: opened.peek(), digest: drawn.peek()?.digest ?? "" };
  void job.start(path, body);
}

/** The answer, as long as the page is about the robot of the question: another arm's equations must not stand here. */
export function answerOf<T>(job: Job<T>): T | null {
  return aboutOf(job as Job<unknown>).value?.opened === opened.value ? job.result.value : null;
}

/** The answer is of an earlier table, or a new one is on its way. */
export const isOld = (job: Job<unknown>): boolean =>
  (job.phase.value !== "done" && !job.hasFirst.value) || stale.value || aboutOf(job).value?.digest !== drawn.value?.digest;

const asked = new WeakMap<Job<unknown>, Signal<string>>();

const keyOf = (job: Job<unknown>): Signal<string> => {
  const found = asked.get(job) ?? signal("");
  asked.set(job, found);
  return found;
};

/** Asks `path` about the present robot with `more`, again whenever either changes; nothing is asked of a faulty table. */
export function useAsking<T>(job: Job<T>, path: string, more: () => object | null, numbers = false): void {
  useSignalEffect(() => {
    const rest = more();
    const digest = drawn.value?.digest;
    if (!digest || stale.value || rest === null) return undefined;
    const values = numbers ? { values: known(standIns.value) } : {};
    const key = JSON.stringify([opened.value, digest, rest, values, language.value]); // an answer has words in it
    const last = keyOf(job as Job<unknown>);
    const phase = job.phase.peek();
    if (last.peek() === key && (phase === "done" || phase === "running")) return undefined;
    const now = (): void => {
      last.value = key;
      ask(job, path, { document: robot.peek(), ...rest, ...values });
    };
    const timer = setTimeout(now, last.peek() === "" || job.took < QUICK_MS ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  });
}
