// Equations are set when they are seen: those behind a click when it comes, those further down when one scrolls there.
import { typeset } from "../shared/typeset";

/** A block of LaTeX, or words with $…$ and \[…\] between them. */
async function set(el: HTMLElement): Promise<void> {
  if (el.dataset.set) return;
  el.dataset.set = "1";
  const text = el.textContent ?? "";
  if (el.classList.contains("tex")) return typeset(el, text, true);
  el.replaceChildren();
  for (const paragraph of text.split(/\n\s*\n/)) {
    const block = document.createElement("div");
    block.className = "step";
    el.append(block);
    for (const [k, part] of paragraph.split(/\\\[([\s\S]*?)\\\]/).entries())
      if (k % 2) await added(block, "div", part, true);
      else await sentence(block, part);
  }
}

async function sentence(block: HTMLElement, text: string): Promise<void> {
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const row = document.createElement("p");
    block.append(row);
    for (const [k, part] of line.split(/\$([^$]*)\$/).entries())
      if (k % 2) await added(row, "span", part, false);
      else row.append(part);
  }
}

async function added(block: HTMLElement, tag: "div" | "span", tex: string, display: boolean): Promise<void> {
  const made = document.createElement(tag);
  if (display) Object.assign(made, { className: "tex", tabIndex: 0, role: "group", ariaLabel: "equations" });
  block.append(made);
  await typeset(made, tex, display);
}

const PAPER = 700; // pixels of a line on A4

/** Lines too long for paper become smaller there, within what can be read. */
const shrink = (one: HTMLElement) => Math.max(0.5, Math.min(1, PAPER / one.scrollWidth));

/** What is open is set from the top on while nothing else is to do; what is folded, when it is opened or printed. */
export function setEquations(): void {
  const all = [...document.querySelectorAll<HTMLElement>(".tex, .mixed")];
  const open = all.filter((one) => !one.closest("details:not([open])"));
  for (const fold of document.querySelectorAll("details"))
    fold.addEventListener("toggle", () => fold.querySelectorAll<HTMLElement>(".tex").forEach((one) => void set(one)));
  const idle = window.requestIdleCallback ?? ((call: () => void) => setTimeout(call, 20));
  const next = () => idle(() => void (open.length && set(open.shift()!).then(next)));
  next();
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>("#equations details")) fold.open = true;
    for (const one of all) void set(one).then(() => one.style.setProperty("--shrink", String(shrink(one))));
  });
}
