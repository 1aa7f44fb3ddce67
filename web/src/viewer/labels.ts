// Words beside things: HTML over the picture, so that they are sharp at any resolution and readable to a screen reader.
import type { Vector3 } from "three";
import type { Stage } from "./stage";

export interface Label {
  text: string;
  at: Vector3;
  colour?: string;
}

export class Labels {
  private readonly layer = document.createElement("div");
  private shown: { label: Label; el: HTMLElement }[] = [];

  constructor(private readonly stage: Stage) {
    Object.assign(this.layer.style, { position: "absolute", inset: "0", overflow: "hidden", pointerEvents: "none" });
    this.layer.className = "viewer-labels";
    stage.host.append(this.layer);
  }

  set(labels: Label[]): void {
    while (this.shown.length > labels.length) this.shown.pop()!.el.remove();
    while (this.shown.length < labels.length) this.shown.push({ label: labels[0], el: this.made() });
    this.shown.forEach((one, k) => {
      one.label = labels[k];
      if (one.el.textContent !== labels[k].text) one.el.textContent = labels[k].text;
      const { ink, ground } = this.stage.colours;
      Object.assign(one.el.style, { color: ink, background: ground, borderLeft: `4px solid ${labels[k].colour ?? ink}` });
    });
    this.place();
  }

  private made(): HTMLElement {
    const el = document.createElement("span");
    Object.assign(el.style, {
      position: "absolute", left: "0", top: "0", font: "12px/1.3 system-ui, sans-serif", padding: "0 4px", borderRadius: "3px",
      whiteSpace: "nowrap", willChange: "transform",
    });
    this.layer.append(el);
    return el;
  }

  /** Beside its point; of two that would cover each other the second goes below. */
  place(): void {
    const taken: [number, number][] = [];
    for (const { label, el } of this.shown) {
      const at = this.stage.project(label.at);
      const room = this.layer.clientWidth - el.offsetWidth - 2;
      const x = Math.max(0, Math.min(Math.round(at.x + 8), room)); // a long name at the edge moves in
      let y = Math.round(at.y - 8);
      while (taken.some(([u, v]) => Math.abs(u - x) < 90 && Math.abs(v - y) < 17)) y += 17;
      taken.push([x, y]);
      el.style.display = at.z > 1 ? "none" : "";
      el.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  /** The same words on a canvas, for a picture to keep. */
  paint(context: CanvasRenderingContext2D, scale: number): void {
    context.font = `${12 * scale}px system-ui, sans-serif`;
    for (const { label } of this.shown) {
      const at = this.stage.project(label.at), wide = context.measureText(label.text).width / scale + 8;
      const x = Math.max(0, Math.min(at.x + 8, this.layer.clientWidth - wide));
      context.fillStyle = this.stage.colours.ground;
      context.fillRect(x * scale, (at.y - 8) * scale, wide * scale, 16 * scale);
      context.fillStyle = this.stage.colours.ink;
      context.fillText(label.text, (x + 4) * scale, (at.y + 4) * scale);
    }
  }

  dispose(): void {
    this.layer.remove();
  }
}
