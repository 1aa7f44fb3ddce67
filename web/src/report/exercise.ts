// Parts that were left out are requested: a position is drawn, the answer is compared with what the models say.
import type { Drawing, RobotModule } from "../shared/types";
import { Chain, ranges } from "../viewer/chain";
import { button, el, told } from "./elements";

interface Question {
  words: string;
  fields: string[];
  right: (answer: number[]) => boolean[];
}

const NEAR = 0.01; // of the largest entry: hand arithmetic is allowed

const close = (answer: number[], wanted: number[]) => {
  const most = Math.max(...wanted.map(Math.abs), 1e-9);
  return wanted.map((x, k) => Math.abs(answer[k] - x) <= NEAR * most);
};

function questions(drawing: Drawing, module: RobotModule | null, hidden: string[], q: number[]): Question[] {
  const units = drawing.coordinates.map((_, c) => drawing.joints.find((one) => one.index === c && one.range)?.unit ?? "rad");
  const at = drawing.coordinates.map((name, c) => `${name} = ${told(q[c], units[c])}`).join(", ");
  const chain = new Chain(drawing).move(q), tip = chain.tool.elements.slice(12, 15), found: Question[] = [];
  found.push({ words: `Where is the tool at ${at}?`, fields: ["x (m)", "y (m)", "z (m)"], right: (answer) => close(answer, tip) });
  if (module?.gravity && (hidden.includes("equations") || hidden.includes("motion"))) {
    const wanted = module.gravity(q);
    found.push({ words: `Which torques or forces hold the arm still at ${at}?`, fields: drawing.coordinates.map((name, c) => `${name} (${units[c] === "rad" ? "N·m" : "N"})`), right: (answer) => close(answer, wanted) });
  }
  if (hidden.includes("inverse")) {
    const place = tip.map((x) => x.toFixed(4)).join(", ");
    found.push({
      words: `Which position of the joints brings the tool to ${place} m?`,
      fields: drawing.coordinates.map((name, c) => `${name} (${units[c] === "rad" ? "degrees" : "m"})`),
      right: (answer) => {
        const wished = answer.map((x, c) => (units[c] === "rad" ? (x * Math.PI) / 180 : x)), there = new Chain(drawing).move(wished).tool.elements.slice(12, 15);
        const near = Math.hypot(...there.map((x, k) => x - tip[k])) <= NEAR * drawing.size;
        return answer.map(() => near);
      },
    });
  }
  return found;
}

export function exercise(place: HTMLElement, drawing: Drawing, module: RobotModule | null, hidden: string[]): void {
  const ask = () => {
    const q = ranges(drawing).map(([low, high]) => low + (high - low) * (0.15 + 0.7 * Math.random()));
    const blocks = questions(drawing, module, hidden, q).map(block);
    place.replaceChildren(...blocks, button("Another position", ask));
  };
  ask();
}

function block(one: Question): HTMLElement {
  const said = el("p", { role: "status", class: "said" });
  const inputs = one.fields.map(() => el("input", { type: "number", step: "any" }));
  const labels = one.fields.map((name, k) => el("label", {}, `${name} `, inputs[k]));
  const check = () => {
    const answer = inputs.map((input) => (input.value === "" ? NaN : Number(input.value))), good = one.right(answer);
    good.forEach((fine, k) => inputs[k].setAttribute("aria-invalid", String(!fine)));
    const wrong = one.fields.filter((_, k) => !good[k]);
    said.textContent = wrong.length ? `Not yet: ${wrong.join(", ")}.` : "Right.";
  };
  return el("div", { class: "question" }, el("p", {}, one.words), el("div", { class: "row" }, ...labels, button("Check", check)), said);
}
