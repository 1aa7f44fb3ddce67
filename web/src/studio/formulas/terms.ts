// What a term of an equation speaks of, and what it is worth now: both of the tree that the server sends with its texts.
import type { Formula } from "../../shared/types";

export type Values = Readonly<Record<string, number>>;

// what Math has under another name, or not at all
const OPERATIONS: Record<string, (...x: number[]) => number> = {
  add: (...x) => x.reduce((sum, y) => sum + y),
  mul: (...x) => x.reduce((product, y) => product * y),
  div: (x, y) => x! / y!,
  select: (condition, yes, no) => (condition ? yes! : no!),
  less: (x, y) => Number(x! < y!),
};

/** The value; NaN where a name or an operation is not known here. */
export function valueOf(tree: Formula, values: Values): number {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return values[tree] ?? NaN;
  const [name, ...inputs] = tree;
  const operation = OPERATIONS[String(name)] ?? (Math as unknown as typeof OPERATIONS)[String(name)];
  return operation ? operation(...inputs.map((input) => valueOf(input, values))) : NaN;
}

/** The names in it, each as often as it stands there. */
export const namesIn = (tree: Formula): string[] =>
  typeof tree === "number" ? [] : typeof tree === "string" ? [tree] : tree.slice(1).flatMap(namesIn);

const LINK_NAME = /^(?:m|r[xyz]|[ILK](?:xx|xy|xz|yy|yz|zz)|m[xyz]|l|a|d|Ia|fv|fc|fo)(\d+)$/;
const JOINT_NAME = /^(?:q|qd|qdd|c|s)(\d+)$/; // lines as they run have names for sines and cosines

/** The numbers at the ends of names; that of `c123` is of joints 1, 2, 3 as long as there are fewer. */
function numbers(names: string[], form: RegExp, most: number): number[] {
  const ends = names.map((name) => form.exec(name)?.[1] ?? "");
  const found = ends.flatMap((end) => (Number(end) <= most ? [Number(end)] : form === JOINT_NAME ? [...end].map(Number) : []));
  return [...new Set(found)].filter((i) => i >= 1 && i <= most).sort((a, b) => a - b);
}

/** Links and joints a term speaks of, numbered from 1 as the names are. */
export function mentioned(tree: Formula, dof: number): { links: number[]; joints: number[] } {
  const names = namesIn(tree);
  return { links: numbers(names, LINK_NAME, dof), joints: numbers(names, JOINT_NAME, dof) };
}
