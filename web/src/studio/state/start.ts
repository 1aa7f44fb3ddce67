// What the server has: its library, models, methods, languages, laws, files.
import { signal } from "@preact/signals";
import type { Files, ReadAnswer, ReadRequest, Start } from "../../shared/api";
import { call } from "./server";

export const start = signal<Start | null>(null);

export async function greet(): Promise<Start> {
  const answer = await call<Start>("/api/start");
  start.value = answer;
  return answer;
}

export async function refreshFiles(): Promise<void> {
  const { files } = await call<Files>("/api/files");
  if (start.value) start.value = { ...start.value, files };
}

export const readRobot = (request: ReadRequest): Promise<ReadAnswer> => call<ReadAnswer>("/api/read", request);
