// The summands of an equation: what one points at. LaTeX and plain text are cut at the same signs.

export interface Term {
  tex: string; // with its sign
  links: number[]; // numbered from 1, as the names are
  joints: number[];
}

const OPEN = "([{";
const CLOSE = ")]}";

/** Cuts at every + or − outside brackets; a sign after an operator or at the start belongs to its number. */
export function summands(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (OPEN.includes(sign)) depth++;
    else if (CLOSE.includes(sign)) depth--;
    else if (depth === 0 && (sign === "+" || sign === "-") && binary(text.slice(from, i))) {
      parts.push(text.slice(from, i).trim());
      from = i;
    }
  }
  parts.push(text.slice(from).trim());
  return parts.filter((part) => part !== "");
}

const binary = (before: string): boolean => /[^\s]/.test(before) && !/(^|[\s*/^(=,+-]|\\,)\s*[+-]?\s*$/.test(trimmed(before));
// LaTeX's thin space and a text's blanks may stand before a sign that joins two summands
const trimmed = (before: string): string => before.replace(/(\\,|\\quad|\s)+$/, "");

const LINK_NAME = /\b(?:m|r[xyz]|[ILK](?:xx|xy|xz|yy|yz|zz)|m[xyz]|l|a|d|Ia|fv|fc|fo)(\d+)\b/g;
const JOINT_NAME = /\b(?:q|qd|qdd|theta|c|s)(\d+)\b/g;

const numbers = (found: Iterable<RegExpMatchArray>): number[] => [...found].map((match) => Number(match[1]));
const sorted = (list: number[]): number[] => [...new Set(list)].sort((a, b) => a - b);

/** Links and joints a text speaks of; `c123` is joints 1, 2, 3 as long as there are fewer than ten. */
export function mentioned(text: string, dof: number): { links: number[]; joints: number[] } {
  const links = numbers(text.matchAll(LINK_NAME)).filter((i) => i <= dof);
  const joints: number[] = [];
  for (const match of text.matchAll(JOINT_NAME)) {
    const digits = match[1]!;
    const whole = Number(digits);
    joints.push(...(whole <= dof ? [whole] : [...digits].map(Number)));
  }
  return { links: sorted(links), joints: sorted(joints.filter((i) => i >= 1 && i <= dof)) };
}
