// Equations by KaTeX, brought when the first one is set.
import type katexType from "katex";
import { rounded } from "./digits";

let katex: Promise<typeof katexType> | null = null;

async function loaded(): Promise<typeof katexType> {
  katex ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([found]) => found.default);
  return katex;
}

/** Sets `tex` in `el`. Inline, so that a long line breaks in a narrow panel; an error is shown as the text itself. */
export async function typeset(el: HTMLElement, tex: string, display = false): Promise<void> {
  const k = await loaded();
  try {
    k.render(rounded(tex), el, { displayMode: display, output: "htmlAndMathml", strict: false, trust: false, throwOnError: true, maxExpand: 1e6 });
  } catch {
    el.textContent = tex;
  }
}

/** Sets every equation of `pairs` when it is scrolled to, the first `soon` at once. */
export function typesetLater(pairs: [HTMLElement, string][], soon = 60): void {
  for (const [el, tex] of pairs.slice(0, soon)) void typeset(el, tex);
  const waiting = new Map<Element, string>(pairs.slice(soon));
  if (!waiting.size) return;
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        seen.unobserve(entry.target);
        void typeset(entry.target as HTMLElement, waiting.get(entry.target)!);
      }
  }, { rootMargin: "400px" });
  for (const el of waiting.keys()) seen.observe(el);
}
