// Equations are set when they are seen: those behind a click when it comes, those further down when one scrolls there.
import { equationsOf } from "../shared/lines";
import { typeset } from "../shared/typeset";
import { t } from "../shared/words";

/** A block of LaTeX. */
async function set(el: HTMLElement): Promise<void> {
  if (el.dataset.set) return;
  el.dataset.set = "1";
  await displayed(el, el.textContent ?? "");
}

/** Equations one below the other, broken where the page ends; a block that cannot be cut is set as it is. */
async function displayed(el: HTMLElement, tex: string): Promise<void> {
  const lines = equationsOf(tex);
  if (!lines) return typeset(el, tex, true);
  const rows = lines.map((line) => [document.createElement("div"), line] as const);
  for (const [row] of rows) row.className = "equation";
  el.replaceChildren(...rows.map(([row]) => row));
  for (const [row, line] of rows) await (between().test(line) ? legend(row, line) : typeset(row, line));
}

/** The word between an equation and its short names, in the language of the page. */
const between = (): RegExp => new RegExp(`^\\\\text\\{${t("with")} \\}\\s*`);

/** What letters stand for: no entry is broken. */
async function legend(row: HTMLElement, tex: string): Promise<void> {
  row.className = "legend";
  row.append(`${t("with")} `);
  for (const part of tex.replace(between(), "").split(/,\s*(?:\\quad\s*)?(?=[a-zA-Z\\])/)) {
    const made = document.createElement("span");
    row.append(made, " ");
    await typeset(made, part.replace(/,\s*$/, ""));
  }
}

const PAPER = 700; // pixels of a line on A4

/** What cannot be broken and is too long for paper becomes smaller there, within what can be read. */
const shrink = (one: HTMLElement) => Math.max(0.5, Math.min(1, PAPER / Math.max(1, ...widths(one))));

const widths = (one: HTMLElement) => [...one.querySelectorAll(".katex-display .base, .katex-display .katex-base")].map((part) => part.getBoundingClientRect().width);

/** What is open is set from the top on while nothing else is to do; what is folded, when it is opened or printed. */
export function setEquations(): void {
  const all = [...document.querySelectorAll<HTMLElement>(".tex")];
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
