// A motion played on the arm: the viewer keeps the time, every control follows.
import { signal } from "@preact/signals";
import { move } from "./arm";
import { viewer } from "./viewing";

export const playing = signal(false);
export const time = signal(0);

export function play(t: number[], q: number[][]): void {
  const view = viewer.value;
  if (!view || !t.length) return;
  playing.value = true;
  const last = t.at(-1)!;
  view.play(t, q, (now: number) => {
    time.value = now;
    move([...at(t, q, now)], "motion");
    if (now >= last) stop();
  });
}

export function stop(): void {
  viewer.value?.stop();
  playing.value = false;
}

function at(t: number[], q: number[][], now: number): number[] {
  let low = 0;
  let high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= now) low = middle;
    else high = middle;
  }
  return q[now >= t[high]! ? high : low]!;
}
