// Colours of code. highlight.js gives HTML of its own making: the text in it is escaped by it, and put in as nodes here.
import hljs from "highlight.js/lib/core";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import fortran from "highlight.js/lib/languages/fortran";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import julia from "highlight.js/lib/languages/julia";
import latex from "highlight.js/lib/languages/latex";
import matlab from "highlight.js/lib/languages/matlab";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";

for (const [name, language] of Object.entries({ c, cpp, fortran, ini, javascript, json, julia, latex, matlab, python, rust })) hljs.registerLanguage(name, language);
hljs.registerAliases(["cu", "cuh"], { languageName: "cpp" });
hljs.registerAliases("jl", { languageName: "julia" });
hljs.registerAliases("m", { languageName: "matlab" });

/** `ending` of the file; one that highlight.js does not know is left as it is. */
export function coloured(host: HTMLElement, text: string, ending: string): void {
  if (!hljs.getLanguage(ending)) return;
  const page = new DOMParser().parseFromString(hljs.highlight(text, { language: ending }).value, "text/html");
  host.replaceChildren(...page.body.childNodes);
}
