// Every answer of inverse kinematics for where the tool is: its name, its joints, and why it cannot be used.
import type { Branch, Drawing } from "../shared/types";
import { BRANCHES, REFUSED } from "../viewer/palette";
import { t } from "../shared/words";
import { button, el, told } from "./elements";

export class Answers {
  private readonly body = el("tbody");
  private readonly words = el("p", { class: "note", role: "status" });
  private readonly units: ("rad" | "m")[];

  constructor(place: HTMLElement, drawing: Drawing, private readonly chosen: (q: number[]) => void) {
    this.units = drawing.coordinates.map((_, c) => drawing.joints.find((one) => one.index === c && one.range)?.unit ?? "rad");
    const heads = ["", t("branch"), ...drawing.coordinates, ""].map((text) => (text ? el("th", { scope: "col" }, text) : el("td")));
    const says = el("p", { class: "note" }, t("Every solution for the tool's present position. Drag the tool to update them."));
    const table = el("table", { class: "answers" }, el("thead", {}, el("tr", {}, ...heads)), this.body);
    place.replaceChildren(this.words, says, el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": t("answers of inverse kinematics") }, table));
  }

  /** On how they were found. */
  say(text: string): void {
    this.words.textContent = text;
  }

  set(found: Branch[], here: number): void {
    this.body.replaceChildren(...found.map((one, k) => this.row(one, k, k === here)));
  }

  private row(one: Branch, k: number, here: boolean): HTMLTableRowElement {
    const usable = one.valid && one.inside, mark = el("span", { class: "mark", "aria-hidden": true });
    mark.style.background = usable ? BRANCHES[k % BRANCHES.length] : REFUSED;
    const known = one.q.length > 0 && one.q.every(Number.isFinite);
    const joints = this.units.map((unit, c) => el("td", {}, known ? told(one.q[c], unit) : "–"));
    const go = here ? el("strong", {}, t("here")) : usable ? button(t("go"), () => this.chosen(one.q)) : el("span", { class: "note" }, one.reason);
    if (go instanceof HTMLButtonElement) go.setAttribute("aria-label", t("go to {0}", one.name || t("branch {0}", k + 1)));
    return el("tr", {}, el("td", {}, mark), el("th", { scope: "row" }, one.name || `${k + 1}`), ...joints, el("td", {}, go));
  }
}
