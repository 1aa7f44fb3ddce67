// Panels ask by themselves when they are opened and when the table has changed; an answer for an older table is greyed.
import { signal, useSignalEffect, type Signal } from "@preact/signals";
import { drawn, known, stale, standIns } from "../state/drawing";
import type { Job } from "../state/jobs";
import { robot } from "../state/work";

const TYPING_MS = 300; // a cell is typed letter by letter: only the last is asked about

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
    const key = JSON.stringify([digest, rest, values]);
    const last = keyOf(job as Job<unknown>);
    const phase = job.phase.peek();
    if (last.peek() === key && (phase === "done" || phase === "running")) return undefined;
    const ask = (): void => {
      last.value = key;
      void job.start(path, { document: robot.peek(), ...rest, ...values });
    };
    const timer = setTimeout(ask, last.peek() === "" ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  });
}
