// Changing a unit keeps the arm and rewrites its numbers; changing the convention says how the same numbers are meant.
import type { ConvertAnswer } from "../../shared/api";
import { say } from "./notices";
import { call } from "./server";
import { edit, robot } from "./work";

export async function convert(change: { angle?: string; length?: string; convention?: string }): Promise<void> {
  try {
    const { document } = await call<ConvertAnswer>("/api/convert", { document: robot.value, ...change });
    edit(() => document);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), "wrong");
  }
}

export const reinterpret = (convention: "standard" | "modified"): void => edit((d) => ({ ...d, convention }));
