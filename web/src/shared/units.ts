// The units in which a page shows what is SI inside.
import type { RobotDocument } from "./api";

export type Units = Pick<RobotDocument, "angle" | "length">;
/** One of each unit of length, in metres. */
export const METRES: Record<string, number> = { m: 1, cm: 1e-2, mm: 1e-3 };
