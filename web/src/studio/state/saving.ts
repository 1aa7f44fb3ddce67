// Saving as TOML into the chosen folder. A file that changed meanwhile is never written over without a word.
import { signal } from "@preact/signals";
import type { ConflictAnswer, SaveAnswer } from "../../shared/api";
import { t } from "../language";
import { say } from "./notices";
import { call, Refusal } from "./server";
import { refreshFiles } from "./start";
import { file, robot } from "./work";

export interface Conflict {
  name: string;
  message: string;
  theirs: ConflictAnswer["theirs"];
}
export const conflict = signal<Conflict | null>(null);

export const fileName = (name: string): string => {
  const trimmed = name.trim().replace(/[\\/:*?"<>|\s]+/g, "_") || "arm";
  return /\.toml$/i.test(trimmed) ? trimmed : `${trimmed}.toml`;
};

/** Saves; `over` is the digest of what may be written over. True where it was saved. */
export async function save(name: string, over: string | null): Promise<boolean> {
  const document = robot.value;
  try {
    const answer = await call<SaveAnswer>("/api/save", { name, document, base: over });
    file.value = { name: answer.name, base: answer.base, document };
    conflict.value = null;
    say(t("Saved as {0}.", answer.name));
    void refreshFiles().catch(() => undefined);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.status === 409)
      conflict.value = { name, message: error.message, theirs: (error.body as unknown as ConflictAnswer).theirs };
    else say(error instanceof Error ? error.message : String(error), "wrong");
    return false;
  }
}
