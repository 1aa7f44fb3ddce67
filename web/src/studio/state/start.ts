// What the server has: its library, models, methods, languages, laws, files.
import { signal } from "@preact/signals";
import type { FilesAnswer, FormatEntry, ReadAnswer, Start } from "../../shared/api";
import { call } from "./server";

export const start = signal<Start | null>(null);

export async function greet(): Promise<Start> {
  const answer = await call<Start>("/api/start");
  start.value = answer;
  return answer;
}

export async function refreshFiles(): Promise<void> {
  const { files } = await call<FilesAnswer>("/api/files");
  if (start.value) start.value = { ...start.value, files };
}

/** The formats of robot files, as the server's registry has them. */
export const formats = (): FormatEntry[] => start.value?.formats ?? [];

/** A robot of the library, a file of the folder, or a text: its format is named, that of the ending of its file, or seen by the server. */
export type ReadRequest =
  | { library: string }
  | { file: string }
  | { text: string; format?: string; ending?: string; name?: string; angle?: string; length?: string; convention?: string };

export const readRobot = (request: ReadRequest): Promise<ReadAnswer> => call<ReadAnswer>("/api/read", request);
