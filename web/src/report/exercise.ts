// Parts that were left out are requested: a position is drawn, the answer is compared with what the models say.
import type { Drawing, RobotModule } from "../shared/types";
import { Chain, ranges } from "../viewer/chain";
import { t } from "../shared/words";
import { button, el, told } from "./elements";
import type { Letters } from "./letters";

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

/** The letters without a value that a model depends on, with what they stand for now. */
type Given = (model: "pose" | "gravity") => string;

function questions(drawing: Drawing, module: RobotModule | null, hidden: string[], q: number[], given: Given): Question[] {
  const units = drawing.coordinates.map((_, c) => drawing.joints.find((one) => one.index === c && one.range)?.unit ?? "rad");
  const at = drawing.coordinates.map((name, c) => `${name} = ${told(q[c], units[c])}`).join(", ");
  const chain = new Chain(drawing).move(q), tip = chain.tool.elements.slice(12, 15), found: Question[] = [];
  if (hidden.includes("equations")) found.push({ words: `${t("Where is the tool at {0}?", at)}${given("pose")}`, fields: ["x (m)", "y (m)", "z (m)"], right: (answer) => close(answer, tip) });
  if (module?.gravity && (hidden.includes("equations") || hidden.includes("motion"))) {
    const wanted = module.gravity(q);
    found.push({ words: `${t("Which torques or forces hold the arm still at {0}?", at)}${given("gravity")}`, fields: drawing.coordinates.map((name, c) => `${name} (${units[c] === "rad" ? "N·m" : "N"})`), right: (answer) => close(answer, wanted) });
  }
  if (hidden.includes("inverse")) {
    const place = tip.map((x) => x.toFixed(4)).join(", ");
    found.push({
      words: `${t("Which position of the joints brings the tool to {0} m?", place)}${given("pose")}`,
      fields: drawing.coordinates.map((name, c) => `${name} (${units[c] === "rad" ? t("degrees") : "m"})`),
      right: (answer) => {
        const wished = answer.map((x, c) => (units[c] === "rad" ? (x * Math.PI) / 180 : x)), there = new Chain(drawing).move(wished).tool.elements.slice(12, 15);
        const near = Math.hypot(...there.map((x, k) => x - tip[k])) <= NEAR * drawing.size;
        return answer.map(() => near);
      },
    });
  }
  return found;
}

export function exercise(place: HTMLElement, drawing: Drawing, module: RobotModule | null, hidden: string[], letters: Letters): void {
  const given: Given = (model) => {
    const said = letters.stated(module?.robot.models[model]?.parameters ?? []);
    return said ? ` ${t("With {0}.", said)}` : "";
  };
  const ask = () => {
    const q = ranges(drawing).map(([low, high]) => low + (high - low) * (0.15 + 0.7 * Math.random()));
    const blocks = questions(drawing, module, hidden, q, given).map(block);
    place.replaceChildren(...blocks, button(t("Another position"), ask));
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
    said.textContent = wrong.length ? t("Not yet: {0}.", wrong.join(", ")) : t("Right.");
  };
  return el("div", { class: "question" }, el("p", {}, one.words), el("div", { class: "row" }, ...labels, button(t("Check"), check)), said);
}
