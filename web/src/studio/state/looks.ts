// How the links look where a URDF of the folder says so: requested when such a file is opened, drawn in place of the solids.
import { computed, effect, signal } from "@preact/signals";
import type { LooksAnswer } from "../../shared/api";
import type { Drawing, Looks } from "../../shared/types";
import { t } from "../language";
import { Job } from "./jobs";
import { say } from "./notices";
import { call } from "./server";
import { formats } from "./start";
import { file, opened, robot } from "./work";

const TOLD = 3; // notes in one sentence

interface Found {
  of: number; // which robot of this page
  from: string; // the file
  looks: Looks;
}
const found = signal<Found | null>(null);
const job = new Job<LooksAnswer>();

/** Is there something to wear, and is it worn? */
export const wearing = signal(true);
export const wardrobe = computed<Looks | null>(() => {
  const own = found.value;
  return own && own.of === opened.value && robot.value.kind === "frames" ? own.looks : null;
});

/** For a report: the file whose looks it may show. */
export const dressing = (): { file?: string } => (wardrobe.value && wearing.value && found.value ? { file: found.value.from } : {});

export function dressed(drawing: Drawing, looks: Looks): Drawing {
  const names = ["", ...drawing.joints.map((joint) => joint.name)];
  const links = drawing.links.map((link, i) => ({ ...link, shapes: looks.shapes[names[i]!] ?? link.shapes }));
  const covered = looks.shapes[names[drawing.tool.on + 1]!] !== undefined;
  const tool = covered ? { ...drawing.tool, shapes: drawing.tool.shapes.filter((shape) => shape.paint === "payload") } : drawing.tool;
  return { ...drawing, links, tool, paints: { ...drawing.paints, ...looks.paints } };
}

async function fetched(name: string, of: number): Promise<void> {
  const answer = await job.start("/api/looks", { file: name });
  if (!answer || of !== opened.peek()) return;
  const { notes, url } = answer;
  const more = notes.length > TOLD ? ` ${t("… and {0} more.", notes.length - TOLD)}` : "";
  if (notes.length) say(`${t("Not drawn as the file says:")} ${notes.slice(0, TOLD).join("; ")}.${more}`, "wrong");
  if (url) found.value = { of, from: name, looks: await call<Looks>(url) };
}

/** The endings of files that draw links, or name the file that does. */
const drawing = (): string[] => formats().flatMap(({ endings, visuals }) => (visuals ? endings : []));

/** Begins to follow the file; called once. */
export function followLooks(): void {
  let last = "";
  effect(() => {
    const name = file.value?.name ?? "";
    const key = `${opened.value} ${name}`;
    if (key === last || !drawing().some((ending) => name.toLowerCase().endsWith(ending))) return;
    last = key;
    void fetched(name, opened.peek()).catch((error: Error) => say(error.message, "wrong"));
  });
}
