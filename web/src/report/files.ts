// Files of code: coloured when they are opened, copied and saved by buttons.
import hljs from "highlight.js/lib/core";
import c from "highlight.js/lib/languages/c";
import { t } from "../shared/words";
import { save } from "./arm";
import { button, el } from "./elements";

hljs.registerLanguage("c", c);
const LONG = 80_000; // characters that are left uncoloured

export function setFiles(): void {
  for (const file of document.querySelectorAll<HTMLElement>(".file")) {
    const code = file.querySelector("code")!, text = code.textContent ?? "", said = el("span", { role: "status" });
    const copied = () => navigator.clipboard.writeText(text).then(() => (said.textContent = ` ${t("copied")}`), () => mark(code, said));
    file.prepend(el("div", { class: "row" }, button(t("Copy"), copied), button(t("Save"), () => save(file.dataset.name!, new Blob([text]))), said));
    const fold = file.closest("details");
    fold?.addEventListener("toggle", () => colour(code, text), { once: true });
  }
}

function colour(code: HTMLElement, text: string): void {
  if (text.length > LONG) return;
  code.innerHTML = hljs.highlight(text, { language: "c" }).value; // escaped by highlight.js
}

/** A page of a file may not write to the clipboard in every browser: mark the text, the keys do the rest. */
function mark(code: HTMLElement, said: HTMLElement): void {
  getSelection()?.selectAllChildren(code);
  said.textContent = ` ${t("marked: copy it with Ctrl+C")}`;
}
