// From the document to the picture: drawn by the server at every edit, computed by the emitted module that follows.
import { batch, computed, effect, signal } from "@preact/signals";
import type { DrawAnswer, Drawn, Fault, ModuleAnswer, Notice, RobotDocument, RobotParameter } from "../../shared/api";
import type { Drawing, RobotModule } from "../../shared/types";
import { language } from "../language";
import { Job } from "./jobs";
import { dressed, wardrobe, wearing } from "./looks";
import { aborted, call, connected } from "./server";
import { robot } from "./work";

const TYPING_MS = 25; // letters typed in one go are drawn once
const RESTING_MS = 1500; // optimising takes a processor for seconds: not for a table that is still being typed

/** The last answer without errors. */
export const drawn = signal<Drawn | null>(null);
export const faults = signal<Fault[]>([]);
export const warnings = computed<Notice[]>(() => (faults.value.length ? [] : (drawn.value?.warnings ?? [])));
/** The arm on the screen is that of an earlier table. */
export const stale = computed(() => faults.value.length > 0);

const answeredFor = signal<RobotDocument | null>(null);
/** The table has changed since the last answer about it. */
export const waiting = computed(() => answeredFor.value !== robot.value);

/** Values of names without a value in the file, as set by the sliders; SI. */
export const standIns = signal<Readonly<Record<string, number>>>({});
const drawnWith = signal<{ digest: string; drawing: Drawing } | null>(null);
export const drawing = computed<Drawing | null>(() => {
  const plain = drawn.value;
  if (!plain) return null;
  const own = drawnWith.value?.digest === plain.digest ? drawnWith.value.drawing : plain.drawing;
  return wardrobe.value && wearing.value ? dressed(own, wardrobe.value) : own;
});

export const modulePhase = signal<"none" | "plain" | "fast">("none");
export const module = signal<RobotModule | null>(null);
export const missing = signal<ModuleAnswer["missing"]>([]);
const making = new Job<ModuleAnswer>();
export const makingPhase = making.phase;

/** Parameters in the module's order: the file's values, the sliders' where there are none. */
export const values = computed<number[] | undefined>(() => {
  const list = module.value?.robot.parameters;
  return list?.map((p) => standIns.value[p.name] ?? p.value ?? p.default ?? 0);
});

/** The sliders' values of names this robot has and without a value in the file. */
export const known = (set: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(symbolic.value.flatMap(({ name }) => (set[name] === undefined ? [] : [[name, set[name]]])));

/** Names without a value; those of the geometry first. */
export const symbolic = computed<RobotParameter[]>(() => {
  const drawnBy = drawn.value?.drawing.stand_ins ?? {};
  const later = ({ name }: RobotParameter): number => Number(!(name in drawnBy));
  return (drawn.value?.parameters ?? []).filter((p) => p.value === null).sort((a, b) => later(a) - later(b));
});

let moduleOf = ""; // digest of the robot the module is of
let drawingNow: AbortController | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

async function draw(document: RobotDocument): Promise<void> {
  drawingNow?.abort();
  drawingNow = new AbortController();
  try {
    const answer = await call<DrawAnswer>("/api/draw", { document }, drawingNow.signal);
    batch(() => shown(answer, document));
    if ("digest" in answer) void followed(answer, document);
  } catch (error) {
    if (!aborted(error) && connected.value) faults.value = [asFault(error)];
  }
}

const asFault = (error: unknown): Fault => {
  const message = error instanceof Error ? error.message : String(error);
  return { message, problem: message, hint: "", row: null, column: "" };
};

// the module of another arm goes in the same moment: nothing may compute with one and draw the other
function shown(answer: DrawAnswer, document: RobotDocument): void {
  faults.value = answer.errors;
  answeredFor.value = document;
  if (!("digest" in answer)) return;
  drawn.value = answer;
  if (answer.digest === moduleOf) return;
  module.value = null;
  modulePhase.value = "none";
}

async function followed(answer: Drawn, document: RobotDocument): Promise<void> {
  if (answer.digest === moduleOf && module.value) return;
  moduleOf = answer.digest;
  if (!(await fetched(document, "none", answer.digest))) return;
  await new Promise((resolve) => setTimeout(resolve, RESTING_MS));
  if (drawn.value?.digest === answer.digest) await fetched(document, "fast", answer.digest);
}

// the plain module comes in a moment, the optimised one when it is ready
async function fetched(document: RobotDocument, optimise: "none" | "fast", digest: string): Promise<boolean> {
  const answer = await making.start("/api/module", { document, optimise });
  if (!answer || drawn.value?.digest !== digest) return false;
  const found = (await import(/* @vite-ignore */ answer.url).catch(() => null)) as RobotModule | null;
  if (!found || drawn.value?.digest !== digest) return false;
  missing.value = answer.missing;
  module.value = found;
  modulePhase.value = optimise === "none" ? "plain" : "fast";
  return true;
}

let redrawingNow: AbortController | null = null;

async function redraw(document: RobotDocument, digest: string, set: Readonly<Record<string, number>>): Promise<void> {
  redrawingNow?.abort();
  redrawingNow = new AbortController();
  try {
    const answer = await call<DrawAnswer>("/api/draw", { document, values: set }, redrawingNow.signal);
    if ("digest" in answer) drawnWith.value = { digest, drawing: answer.drawing };
  } catch (error) {
    if (!aborted(error) && connected.value) throw error;
  }
}

/** Begins to follow the document; called once. */
export function follow(): void {
  effect(() => {
    const document = robot.value;
    void language.value; // what is wrong is said again, in the other language
    clearTimeout(timer);
    timer = setTimeout(() => void draw(document), TYPING_MS);
  });
  effect(() => {
    const set = standIns.value;
    const digest = drawn.value?.digest;
    if (digest && Object.keys(set).length) void redraw(robot.peek(), digest, known(set));
  });
  let was = connected.peek();
  effect(() => {
    if (connected.value && !was) void draw(robot.peek());
    was = connected.value;
  });
}
