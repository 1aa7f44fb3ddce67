// The studio's page. What was here before a reload comes back; the first time planar2r moves.
import { effect } from "@preact/signals";
import { render } from "preact";
import "./style/base.css";
import "./style/frame.css";
import "./style/table.css";
import "./style/panels.css";
import { App } from "./frame/app";
import { language, type Language } from "./language";
import { coordinates, followDrawing, move, q } from "./state/arm";
import { follow } from "./state/drawing";
import { claimName, keepEverything, kept } from "./state/kept";
import { keepLayout } from "./state/layout";
import { listen } from "./state/keys";
import { followLooks } from "./state/looks";
import { followSearch } from "./state/searching";
import { connected, Refusal } from "./state/server";
import { greet, readRobot } from "./state/start";
import { followTheme, still } from "./state/theme";
import { beginWith, welcome } from "./state/work";

const ASK_AGAIN_MS = 3000;
const TRIES = 5;

async function begin(): Promise<void> {
  await claimName();
  const before = kept();
  if (before) {
    beginWith(before.document, before.file);
    q.value = before.q;
  }
  const answer = await insist(greet).catch(() => null);
  const chosen = localStorage.getItem("manipula.language") as Language | null;
  language.value = chosen ?? (navigator.language.startsWith("pt") ? "pt" : ((answer?.language as Language | undefined) ?? "en"));
  if (before || !answer) return;
  const first = answer.open === null ? { library: "planar2r" } : { file: answer.open };
  const { document, base } = await insist(() => readRobot(first));
  beginWith(document, answer.open !== null && base !== null ? { name: answer.open, base, document } : null);
  welcome.value = answer.open === null;
}

// a machine that does much else may give the first answers up: without them there is neither library nor arm
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || left === 1) throw error;
      await new Promise((go) => setTimeout(go, ASK_AGAIN_MS));
    }
  }
}

// until the person does something; not where motion is unwanted
function wave(): void {
  const begun = performance.now();
  const step = (now: number): void => {
    if (!welcome.value) return;
    const s = (now - begun) / 1000;
    if (coordinates.value.length) move(coordinates.value.map((joint, i) => (joint.unit === "rad" ? 0.7 : 0.1) * Math.sin(0.8 * s + 0.9 * i) + (joint.unit === "rad" ? 0.5 : 0)), "welcome");
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// a server that was stopped may come back: asked every few seconds, so that the page says so unasked
function askAgain(): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  effect(() => {
    clearInterval(timer);
    if (!connected.value) timer = setInterval(() => void greet().catch(() => undefined), ASK_AGAIN_MS);
  });
}

followTheme();
effect(() => void (document.documentElement.lang = language.value));
await begin().catch(() => undefined);
follow();
followDrawing();
followLooks();
followSearch();
keepEverything();
keepLayout();
listen();
askAgain();
render(<App />, document.getElementById("studio")!);
if (welcome.value && !still.value) wave();
document.body.dataset["ready"] = "1";
