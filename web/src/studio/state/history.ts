// A list of immutable states with a place in it: undo and redo of every edit.
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

const DEPTH = 300;

export interface History<T> {
  value: ReadonlySignal<T>;
  /** Makes `next` the present; edits with the same non-empty `mark` in a row (letters typed into one cell) are one step. */
  put(next: T, mark?: string): void;
  /** Begins anew: nothing to undo. */
  reset(first: T): void;
  /** The next edit starts a step of its own, whatever its mark. */
  seal(): void;
  undo(): void;
  redo(): void;
  canUndo: ReadonlySignal<boolean>;
  canRedo: ReadonlySignal<boolean>;
}

interface Line<T> {
  past: readonly T[];
  present: T;
  future: readonly T[];
  mark: string;
}

export function history<T>(first: T): History<T> {
  const line: Signal<Line<T>> = signal({ past: [], present: first, future: [], mark: "" });
  const put = (next: T, mark = ""): void => {
    const { past, present, mark: last } = line.value;
    if (next === present) return;
    const kept = mark !== "" && mark === last ? past : [...past, present].slice(-DEPTH);
    line.value = { past: kept, present: next, future: [], mark };
  };
  const undo = (): void => {
    const { past, present, future } = line.value;
    const before = past.at(-1);
    if (before !== undefined) line.value = { past: past.slice(0, -1), present: before, future: [present, ...future], mark: "" };
  };
  const redo = (): void => {
    const { past, present, future } = line.value;
    const after = future[0];
    if (after !== undefined) line.value = { past: [...past, present], present: after, future: future.slice(1), mark: "" };
  };
  return {
    value: computed(() => line.value.present),
    put,
    reset: (start) => void (line.value = { past: [], present: start, future: [], mark: "" }),
    seal: () => void (line.value = { ...line.value, mark: "" }),
    undo,
    redo,
    canUndo: computed(() => line.value.past.length > 0),
    canRedo: computed(() => line.value.future.length > 0),
  };
}
