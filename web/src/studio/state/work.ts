// The one document the page is about, its history, and the file it came from.
import { computed, signal } from "@preact/signals";
import type { RobotDocument } from "../../shared/api";
import { newDocument } from "../table/document";
import { history } from "./history";
import { hush } from "./notices";

const line = history<RobotDocument>(newDocument());

export const robot = line.value;
export const { undo, redo, seal, canUndo, canRedo } = line;
export const units = computed(() => ({ angle: robot.value.angle, length: robot.value.length }));

/** The file the document was read from or saved to; `base` is its digest then. */
export interface FileOf {
  name: string;
  base: string;
  document: RobotDocument; // as it stands in the file
}
export const file = signal<FileOf | null>(null);
export const saved = computed(() => file.value !== null && file.value.document === robot.value);

/** Grows when another robot takes the place of this one. */
export const opened = signal(0);

/** The first picture is a welcome, not somebody's work: it moves and is not kept. */
export const welcome = signal(false);

export function edit(change: (document: RobotDocument) => RobotDocument, mark = ""): void {
  welcome.value = false;
  line.put(change(robot.value), mark);
}

/** The document a page begins with. */
export function beginWith(document: RobotDocument, from: FileOf | null = null): void {
  line.reset(document);
  file.value = from;
}

/** Another document takes the place of this one; undo brings this one back. */
export function open(document: RobotDocument, from: { name: string; base: string } | null = null): void {
  opened.value++;
  hush(); // what was said was about the last one
  line.put(document);
  welcome.value = false;
  file.value = from && { ...from, document };
}
