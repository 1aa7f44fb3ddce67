// The arm where the browser has no WebGL: the same drawing as SVG, moved by the same numbers, with a sentence that says so.
import type { Drawing } from "../shared/types";
import { t } from "../shared/words";
import { DARK, LIGHT, type Theme } from "./palette";
import { picture } from "./svg";

export class Flat {
  private readonly paper = document.createElement("div");
  private readonly note = document.createElement("p");
  private colours: Theme = LIGHT;
  private last: [Drawing, number[]] | null = null;

  constructor(private readonly host: HTMLElement) {
    this.note.textContent = t("This browser shows no WebGL: the arm is drawn flat. Sliders move it; the tool cannot be dragged.");
    this.note.className = "viewer-note";
    this.host.append(this.paper, this.note);
  }

  set(drawing: Drawing, q: number[]): void {
    this.last = [drawing, q];
    const view = { width: this.host.clientWidth || 640, height: Math.max((this.host.clientHeight || 480) - 40, 200), colours: this.colours };
    const parsed = new DOMParser().parseFromString(picture(drawing, q, view), "image/svg+xml");
    this.paper.replaceChildren(parsed.documentElement);
  }

  theme(dark: boolean): void {
    this.colours = dark ? DARK : LIGHT;
    if (this.last) this.set(...this.last);
  }

  dispose(): void {
    this.paper.remove();
    this.note.remove();
  }
}
