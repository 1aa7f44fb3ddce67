// Motion over time: positions between samples are straight lines; the clock is the screen's.

export class Player {
  private timer = 0;

  /** Until the last sample, or `stop`. */
  play(times: number[], qs: number[][], at: (q: number[], t: number) => void): void {
    this.stop();
    if (!times.length) return;
    const begun = performance.now(), first = times[0], last = times[times.length - 1];
    let k = 0;
    const next = () => {
      const t = Math.min(first + (performance.now() - begun) / 1000, last);
      while (k + 2 < times.length && times[k + 1] < t) k++;
      at(between(times, qs, k, t), t);
      this.timer = t < last ? requestAnimationFrame(next) : 0;
    };
    next();
  }

  get running(): boolean {
    return this.timer !== 0;
  }

  stop(): void {
    cancelAnimationFrame(this.timer);
    this.timer = 0;
  }
}

function between(times: number[], qs: number[][], k: number, t: number): number[] {
  const after = Math.min(k + 1, times.length - 1), span = times[after] - times[k];
  const share = span > 0 ? Math.min(Math.max((t - times[k]) / span, 0), 1) : 1;
  return qs[k].map((x, c) => x + share * (qs[after][c] - x));
}
