// The arm of a report: viewer, sliders, what to show, where the tool is, and the answers of inverse kinematics.
import type { Branch, Drawing, RobotModule, Shown } from "../shared/types";
import { dragged, inWords } from "../shared/branch_words";
import { searching, type Span } from "../shared/searching";
import type { Units } from "../shared/units";
import { t } from "../shared/words";
import { Chain, firstPose, limits, ranges } from "../viewer/chain";
import { Viewer } from "../viewer/viewer";
import { Answers } from "./answers";
import { button, checkbox, el } from "./elements";
import { Joints } from "./joints";

const TOGGLES: [keyof Shown, string][] = [
  ["branches", "branches"], ["frames", "frames"], ["axes", "axes"], ["names", "names"], ["ranges", "ranges"], ["trail", "trail"],
  ["cloud", "workspace"], ["com", "centres of mass"], ["inertia", "inertia"], ["forces", "weights and torques"],
];

const UNITS: Units = { angle: "deg", length: "m" };
const SEARCHED = "Searched from {0} starts: {1} found, perhaps not all.", ENDLESS = "Searched from {0} starts: {1} found, some of endlessly many.";

export class ReportArm {
  readonly viewer: Viewer;
  private readonly joints: Joints;
  private readonly where = el("p", { class: "where", "aria-live": "off" });
  private readonly said = el("p", { class: "said", role: "status" });
  private readonly answers: Answers | null;
  private chain: Chain;
  private readonly home: number[];
  private late = 0;

  constructor(private drawing: Drawing, private module: RobotModule | null, host: HTMLElement, private readonly letters: HTMLElement | null = null, private readonly asked = false) {
    host.replaceChildren();
    this.viewer = new Viewer(host, { scroll: true, dark: matchMedia("(prefers-color-scheme: dark)").matches });
    this.viewer.setDrawing(drawing);
    this.viewer.setModule(module);
    this.chain = new Chain(drawing);
    this.home = firstPose(drawing);
    this.joints = new Joints(drawing, this.viewer.q, (q) => this.go(q));
    const place = document.getElementById("branches");
    this.answers = place && (module?.inverse_kinematics || module?.drag) ? new Answers(place, drawing, (q) => this.go(q, true)) : null;
    this.viewer.onMove((q) => this.follow(q));
    this.viewer.onSay((text) => (this.said.textContent = dragged(text)));
    this.viewer.onGhost((index) => this.take(index));
    this.controls();
    this.follow(this.viewer.q);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.viewer.theme(event.matches));
  }

  private controls(): void {
    const place = document.getElementById("controls");
    if (!place) return;
    const usable = TOGGLES.filter(([name]) => name !== "branches" || this.answers);
    const shows = usable.map(([name, text]) => checkbox(t(text), this.viewer.shows[name], (on) => this.viewer.show({ [name]: on })));
    const poses = Object.entries(this.drawing.poses).map(([name, q]) => button(name, () => this.go(q, true)));
    place.replaceChildren(
      this.joints.root,
      ...(this.letters ? [this.letters] : []),
      ...(this.asked ? [] : [this.where]), // where the tool is, is a question of the exercise
      this.said,
      el("div", { class: "row" }, button(t("Home"), () => this.go(this.home, true)), ...poses, button(t("Fit"), () => this.viewer.fit()), button("PNG", () => this.png()), button("SVG", () => this.svg())),
      el("fieldset", {}, el("legend", {}, t("Show")), ...shows),
    );
  }

  /** The same arm with other lengths and masses, where it stands. */
  change(drawing: Drawing, module: RobotModule): void {
    [this.drawing, this.module, this.chain] = [drawing, module, new Chain(drawing)];
    this.viewer.setModule(module);
    this.viewer.setDrawing(drawing);
    this.follow(this.viewer.q);
  }

  /** To a position; from afar in a second, so that one sees the way. */
  go(q: number[], slowly = false): void {
    this.said.textContent = "";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (slowly && !still) {
      const from = [...this.viewer.q], steps = Array.from({ length: 25 }, (_, k) => smooth(k / 24));
      this.viewer.play(steps.map((_, k) => k / 40), steps.map((s) => from.map((x, c) => x + s * (q[c] - x))));
      return;
    }
    this.viewer.setQ(q);
    this.follow(q);
  }

  private follow(q: number[]): void {
    this.joints.set(q);
    const at = this.viewer.poses().at(-1)!.slice(0, 3).map((row) => row[3].toFixed(4));
    const ease = this.module?.manipulability?.(q).w;
    this.where.textContent = t("tool at {0} m", at.join(", ")) + (typeof ease === "number" ? ` · ${t("manipulability")} ${ease.toPrecision(3)}` : "");
    clearTimeout(this.late);
    this.late = window.setTimeout(() => this.branch(), 60); // skeletons are drawn when the hand pauses
  }

  private found: Branch[] = [];

  private branch(): void {
    if (!this.answers) return;
    if (this.module?.inverse_kinematics) this.tell(this.viewer.branches() ?? []);
    else if (this.module?.drag) this.search(searching(this.module, spans(this.drawing), this.viewer.poses().at(-1)!, [...this.viewer.q]));
  }

  /** Where there is no closed form: some answers, a few milliseconds at a time, until the arm moves again. */
  private search(steps: ReturnType<typeof searching>): void {
    const until = performance.now() + 8;
    let step = steps.next();
    while (!step.done && performance.now() < until) step = steps.next();
    const { branches, starts, endless } = step.value;
    this.tell(branches.map((one) => ({ ...one, name: t("found {0}", one.name) })));
    this.answers?.say(t(endless ? ENDLESS : SEARCHED, starts, branches.length));
    if (!step.done) this.late = window.setTimeout(() => this.search(steps), 0);
  }

  private tell(found: Branch[]): void {
    this.found = inWords(found, UNITS, this.drawing, this.chain);
    const turned = (x: number) => Math.abs(Math.atan2(Math.sin(x), Math.cos(x)));
    const here = (one: Branch) => one.q.every((x, c) => turned(x - this.viewer.q[c]) < 1e-4);
    this.answers?.set(this.found, this.found.findIndex((one) => one.valid && here(one)));
    this.viewer.setGhosts(this.found.map((one) => ({ name: one.name, q: here(one) ? [] : one.q, valid: one.valid && one.inside, reason: "" })));
  }

  private take(index: number): void {
    const one = this.found[index];
    if (one?.valid && one.inside) this.go(one.q, true);
    else if (one) this.said.textContent = `${one.name}: ${one.reason}`;
  }

  private async png(): Promise<void> {
    try {
      save(`${this.drawing.name}.png`, await this.viewer.png());
    } catch (error) {
      this.said.textContent = (error as Error).message;
    }
  }

  private svg(): void {
    save(`${this.drawing.name}.svg`, new Blob([this.viewer.svg()], { type: "image/svg+xml" }));
  }
}

/** Where every coordinate may go. */
function spans(drawing: Drawing): Span[] {
  const given = limits(drawing);
  return ranges(drawing).map(([low, high], c) => ({ low, high, turning: given[c] === null && drawing.joints.find((one) => one.index === c && one.range)?.unit === "rad" }));
}

const smooth = (s: number) => s * s * s * (10 - 15 * s + 6 * s * s);

export function save(name: string, blob: Blob): void {
  const link = el("a", { href: URL.createObjectURL(blob), download: name.replace(/[^\w.-]+/g, "_") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
