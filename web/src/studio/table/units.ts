// Numbers in a person's units. Inside (q, the drawing, the modules) everything is SI; cells and sliders follow the document.
import { METRES, type Units } from "../../shared/units";

export { METRES, type Units };
export type Angle = "deg" | "rad";
export type Length = "m" | "cm" | "mm";

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i;
const TURN = 180 / Math.PI;
const DIGITS: Record<string, number> = { deg: 1, mm: 1, cm: 2 };

/** Digits behind the point that a person looks at. */
export const digits = (unit: string): number => DIGITS[unit] ?? 3;

/** A cell's plain number (decimal comma or point), or null: names and expressions are no plain numbers. */
export function plain(cell: string): number | null {
  const text = cell.trim().replace("−", "-");
  return NUMBER.test(text) ? Number(text.replace(",", ".")) : null;
}

/** What is beside a joint's slider: the unit, and one unit's size in SI. */
export function jointUnit(si: string, units: Units): { unit: string; size: number } {
  if (si === "rad") return units.angle === "deg" ? { unit: "deg", size: 1 / TURN } : { unit: "rad", size: 1 };
  return { unit: units.length, size: METRES[units.length] ?? 1 };
}
