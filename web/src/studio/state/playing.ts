// A motion played on the arm: the viewer keeps the time and moves the arm, every control follows.
import { signal } from "@preact/signals";
import { viewer } from "./viewing";

export const playing = signal(false);
export const time = signal(0);

export function play(t: number[], q: number[][]): void {
  const view = viewer.value;
  const last = t.at(-1);
  if (!view || last === undefined) return;
  playing.value = true;
  view.play(t, q, (now) => {
    time.value = now;
    if (now >= last) stop();
  });
}

export function stop(): void {
  viewer.value?.stop();
  playing.value = false;
}
