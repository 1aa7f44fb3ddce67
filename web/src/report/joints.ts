// One slider for each joint, with its number beside it; whatever else moves the arm moves them too.
import type { Drawing } from "../shared/types";
import { limits, ranges } from "../viewer/chain";
import { t } from "../shared/words";
import { DEGREES, el } from "./elements";

interface Field {
  slider: HTMLInputElement;
  box: HTMLInputElement;
  factor: number; // of what is shown over SI
  digits: number;
}

export class Joints {
  readonly root = el("div", { class: "joints" });
  private readonly fields: Field[];
  private q: number[];

  constructor(drawing: Drawing, start: number[], private readonly moved: (q: number[]) => void) {
    this.q = [...start];
    const own = limits(drawing), range = ranges(drawing);
    this.fields = drawing.coordinates.map((name, c) => {
      const joint = drawing.joints.find((one) => one.index === c && one.range), turns = joint?.unit !== "m";
      return this.field(c, name, range[c], turns, own[c] === null);
    });
    this.set(start);
  }

  private field(c: number, name: string, [low, high]: [number, number], turns: boolean, free: boolean): Field {
    const factor = turns ? DEGREES : 1, unit = turns ? "°" : "m", digits = turns ? 1 : 3;
    const ends = { min: (low * factor).toFixed(digits), max: (high * factor).toFixed(digits) };
    const step = turns ? 0.1 : 0.001, label = `${name} (${turns ? t("degrees") : t("metres")})`;
    const slider = el("input", { type: "range", ...ends, step, "aria-label": label });
    const box = el("input", { type: "number", ...ends, step: turns ? 1 : 0.01, "aria-label": t("{0}, as a number", label) });
    const say = free ? t("no limit given") : t("{0} to {1} {2}", ends.min, ends.max, unit);
    const change = (from: HTMLInputElement) => {
      const value = Number(from.value) / factor;
      if (from.value === "" || !Number.isFinite(value)) return;
      this.q[c] = Math.min(Math.max(value, low), high);
      this.set(this.q, from);
      this.moved([...this.q]);
    };
    slider.addEventListener("input", () => change(slider));
    box.addEventListener("change", () => change(box));
    this.root.append(el("div", { class: "joint" }, el("span", { class: "name", title: say }, name), slider, box, el("span", { class: "unit" }, unit)));
    return { slider, box, factor, digits };
  }

  set(q: number[], except?: HTMLInputElement): void {
    this.q = [...q];
    this.fields.forEach(({ slider, box, factor, digits }, c) => {
      const text = ((q[c] ?? 0) * factor).toFixed(digits);
      if (slider !== except) slider.value = text;
      if (box !== except || except === slider) box.value = text;
    });
  }
}
