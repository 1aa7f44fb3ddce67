// One slider for each letter without a value: it changes the arm and everything that is computed of it, here in the page.
import type { Drawing, RobotModule } from "../shared/types";
import { t } from "../shared/words";
import { el } from "./elements";

const NAMED = 6; // in the heading

type Parameter = RobotModule["robot"]["parameters"][number];

/** The drawing where its letters have other values: every number that grows with a letter goes along. */
export function redrawn(drawing: Drawing, values: ReadonlyMap<string, number>): Drawing {
  const made = structuredClone(drawing);
  for (const [name, slopes] of Object.entries(drawing.slopes ?? {})) {
    const moved = (values.get(name) ?? drawing.stand_ins[name]!) - drawing.stand_ins[name]!;
    if (moved) for (const line of slopes) grow(made, line.slice(0, -1), moved * Number(line.at(-1)));
  }
  return made;
}

function grow(inside: unknown, path: (string | number)[], by: number): void {
  const last = path.length - 1;
  const place = path.slice(0, last).reduce((at, key) => (at as Record<string | number, unknown>)[key], inside) as Record<string | number, number>;
  place[path[last]!] = place[path[last]!]! + by;
}

/** Letters that can be moved: those the arm is drawn with only where the drawing can follow. Those of the geometry come first. */
export function letters(drawing: Drawing, module: RobotModule | null): Parameter[] {
  const free = (module?.robot.parameters ?? []).filter(({ name, value }) => value === null && (!(name in drawing.stand_ins) || name in (drawing.slopes ?? {})));
  return free.sort((a, b) => Number(!(a.name in drawing.stand_ins)) - Number(!(b.name in drawing.stand_ins)));
}

export class Letters {
  readonly root: HTMLElement;
  readonly values: Map<string, number>;

  constructor(private readonly list: Parameter[], private readonly changed: () => void) {
    this.values = new Map(list.map(({ name, default: usual }) => [name, usual]));
    const named = list.slice(0, NAMED).map(({ name }) => name).join(", ");
    const names = list.length > NAMED ? t("{0} and {1} more", named, list.length - NAMED) : named;
    const fields = el("div", { class: "joints" }, ...list.map((one) => this.field(one)));
    this.root = el("details", { class: "letters", open: list.length <= 4 }, el("summary", {}, t("Letters without a value: {0}", names)), fields);
    if (!list.length) this.root.hidden = true;
  }

  private field({ name, unit, about, default: usual }: Parameter): HTMLElement {
    const most = 2 * Math.abs(usual) || 0.5, least = usual ? 0 : -most, step = 10 ** Math.floor(Math.log10(most)) / 100, label = `${name} (${unit || t("no unit")})`;
    const ends = { min: least, max: most };
    const slider = el("input", { type: "range", ...ends, step, value: usual, "aria-label": label });
    const box = el("input", { type: "number", step, value: usual, "aria-label": t("{0}, as a number", label) });
    const take = (from: HTMLInputElement) => {
      const value = Number(from.value);
      if (from.value === "" || !Number.isFinite(value)) return;
      slider.min = String(Math.min(least, value));
      slider.max = String(Math.max(most, value));
      for (const other of [slider, box]) if (other !== from) other.value = String(Number(value.toPrecision(6)));
      this.values.set(name, value);
      this.changed();
    };
    slider.addEventListener("input", () => take(slider));
    box.addEventListener("change", () => take(box));
    return el("div", { class: "joint", title: t("{0}; a stand-in, since the table has no value", about) }, el("span", { class: "name" }, name), slider, box, el("span", { class: "unit" }, unit));
  }

  /** In the order of a module's parameters. */
  of(module: RobotModule): number[] {
    return module.robot.parameters.map((p) => this.values.get(p.name) ?? p.value ?? p.default);
  }

  /** l1 = 0.3 m, l2 = 0.3 m: those of these names that have no value. */
  stated(names: readonly string[]): string {
    const free = this.list.filter(({ name }) => names.includes(name));
    return free.map(({ name, unit, default: usual }) => `${name} = ${this.values.get(name) ?? usual} ${unit}`.trim()).join(", ");
  }

  get any(): boolean {
    return this.list.length > 0;
  }
}
