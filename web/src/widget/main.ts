// The arm in a notebook (anywidget): Python sets `q`, a slider or the hand sends it back; a run can be played.
// Everything arrives as traits: no network, no kernel needed to look and to move.
import "./widget.css";
import { el } from "../report/elements";
import { Joints } from "../report/joints";
import type { Drawing, RobotModule } from "../shared/types";
import { Viewer } from "../viewer/viewer";
import { playBar } from "./playing";

interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, call: () => void): void;
  off(name: string, call: () => void): void;
}

/** As the notebook is: JupyterLab and VS Code say so on the body, others by the system's wish. */
function dark(): boolean {
  const { jpThemeLight } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  if (document.body.classList.contains("vscode-dark")) return true;
  return matchMedia("(prefers-color-scheme: dark)").matches && !document.body.classList.contains("vscode-light");
}

async function imported(text: string): Promise<RobotModule | null> {
  if (!text) return null;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(/* @vite-ignore */ url)) as RobotModule;
  } catch {
    return null; // a policy of the host may forbid it: the arm then moves by its drawing alone
  } finally {
    URL.revokeObjectURL(url);
  }
}

export default {
  async render({ model, el: place }: { model: Model; el: HTMLElement }): Promise<() => void> {
    const drawing = model.get("drawing") as Drawing, host = el("div", { class: "manipula-arm" });
    host.style.height = `${Number(model.get("height")) || 420}px`;
    const root = el("div", { class: "manipula-view" }, host);
    place.append(root);
    const viewer = new Viewer(host, { dark: dark(), scroll: true, label: `${drawing.name}: drag the tool, or use the arrow keys` });
    viewer.setDrawing(drawing);
    viewer.setQ(model.get("q") as number[]);
    viewer.show((model.get("shown") as Record<string, boolean>) ?? {});
    const joints = new Joints(drawing, viewer.q, (q) => moved(q));
    const send = (q: number[]) => {
      model.set("q", [...q]);
      model.save_changes();
    };
    const moved = (q: number[]) => {
      viewer.setQ(q);
      send(q);
    };
    viewer.onMove((q, why) => {
      joints.set(q);
      if (why !== "play") send(q);
    });
    const follow = () => {
      const q = model.get("q") as number[];
      viewer.setQ(q);
      joints.set(q);
    };
    const display = () => viewer.show(model.get("shown") as Record<string, boolean>);
    model.on("change:q", follow);
    model.on("change:shown", display);
    const times = (model.get("times") as number[]) ?? [];
    if (times.length > 1) root.append(playBar(viewer, times, model.get("rows") as number[][]));
    root.append(el("details", {}, el("summary", {}, "joints"), joints.root));
    viewer.setModule(await imported(String(model.get("module") ?? "")));
    for (const still of document.getElementsByClassName(`manipula-still-${String(model.get("name"))}`)) (still as HTMLElement).style.display = "none";
    root.dataset.ready = "1";
    return () => {
      model.off("change:q", follow);
      model.off("change:shown", display);
      viewer.dispose();
    };
  },
};
