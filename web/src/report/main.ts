// The script of a report. The page's words and tables are there already; this makes the arm move, sets the equations,
// computes the torques. The robot's module travels as text and is imported from a blob, so the page opens from a disk.
import "./report.css";
import type { Drawing, RobotModule } from "../shared/types";
import { bound } from "../shared/bound";
import { LANGUAGES, speak, t, type Language } from "../shared/words";
import { ReportArm } from "./arm";
import { el } from "./elements";
import { exercise } from "./exercise";
import { setFiles } from "./files";
import { Letters, letters, redrawn } from "./letters";
import { setEquations } from "./mathematics";
import { motionPanel } from "./motion";

export { rounded } from "../shared/digits";
export { plot } from "../shared/plot";
export { searching } from "../shared/searching";
export { typeset, typesetLater } from "../shared/typeset";
export { Viewer } from "../viewer/viewer";

interface Handed {
  name: string;
  drawing: Drawing;
  hidden: string[];
}

export async function moduleOf(text: string): Promise<RobotModule> {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(/* @vite-ignore */ url)) as RobotModule;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function start(handed: Handed): Promise<void> {
  const text = document.getElementById("module-data")?.textContent ?? "";
  let module: RobotModule | null = null;
  try {
    module = text.trim() ? await moduleOf(text) : null;
  } catch (error) {
    document.querySelector("main")?.prepend(el("p", { class: "note" }, t("The models could not be loaded: {0}", String(error))));
  }
  const free = new Letters(letters(handed.drawing, module), () => changed());
  const host = document.querySelector<HTMLElement>("#arm-view");
  const found = host && new ReportArm(handed.drawing, module, host, free.any ? free.root : null, handed.hidden.includes("equations"));
  setEquations();
  setFiles();
  const moving = document.getElementById("motion-view"), asked = document.getElementById("exercise-view");
  let torques: ((module: RobotModule) => void) | null = null;
  if (moving) torques = await motionPanel(moving, handed.drawing, module, found?.viewer ?? null);
  if (asked) exercise(asked, handed.drawing, module, handed.hidden, free);
  function changed(): void {
    if (!module) return;
    const drawing = redrawn(handed.drawing, free.values), live = bound(module, free.of(module));
    found?.change(drawing, live);
    torques?.(live);
    if (asked) exercise(asked, drawing, live, handed.hidden, free);
  }
  printing(found);
  document.body.dataset.ready = "1";
}

/** Paper shows the picture of the moment: a canvas may come out blank. */
function printing(arm: ReportArm | null): void {
  if (!arm) return;
  const paper = el("div", { class: "paper" });
  addEventListener("beforeprint", () => {
    paper.replaceChildren(new DOMParser().parseFromString(arm.viewer.svg(), "image/svg+xml").documentElement);
    arm.viewer.host.after(paper);
  });
  addEventListener("afterprint", () => paper.remove());
}

const own = document.documentElement.lang;
speak(() => (LANGUAGES.includes(own) ? (own as Language) : "en"));
const data = document.getElementById("report-data");
if (data) void start(JSON.parse(data.textContent ?? "{}") as Handed);
