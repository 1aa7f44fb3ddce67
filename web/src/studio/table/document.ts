// Changes of a document: each gives a new one, so that undo is a list of states.
import type { Dynamics, RobotDocument, Row } from "../../shared/api";

const NONE: Dynamics["com"] = ["", "", ""];

export const emptyRow = (kind: RobotDocument["kind"]): Row => ({
  name: "",
  type: "revolute",
  theta: "0",
  d: "0",
  a: "0",
  alpha: "0",
  pitch: "",
  xyz: kind === "frames" ? ["0", "0", "0"] : null,
  rpy: kind === "frames" ? ["0", "0", "0"] : null,
  axis: kind === "frames" ? ["0", "0", "1"] : null,
  direction: "",
  limits: ["", ""],
  velocity_limit: "",
  effort_limit: "",
  extra_toml: "",
});

export const emptyDynamics = (): Dynamics => ({
  mass: "",
  com: NONE,
  inertia: { xx: "", yy: "", zz: "", xy: "", xz: "", yz: "" },
  motor_inertia: "",
  friction: { viscous: "", coulomb: "", offset: "" },
});

/** What is known of the links: nothing has a mass, it is at the end of each, spread along it, or all of it is a letter. */
export type Masses = "geometry" | "points" | "rods" | "bodies";

function bodyOf(kind: string, number: number, masses: Masses): Dynamics {
  const body = emptyDynamics();
  if (masses === "bodies") return body;
  const [m, l] = [`m${number}`, `l${number}`];
  const turned = masses === "rods" && kind === "R" ? `${m}*${l}*${l}/12` : "0"; // of a thin rod about its middle
  const inertia = { xx: "0", yy: turned, zz: turned, xy: "0", xz: "0", yz: "0" };
  return { ...body, mass: masses === "geometry" ? "0" : m, com: [turned === "0" ? "0" : `-${l}/2`, "0", "0"], inertia };
}

/** A table of joints such as RRP, with lengths one can see; what a newcomer begins with. */
export function newDocument(joints = "RR", masses: Masses = "bodies"): RobotDocument {
  const kinds = [...joints.toUpperCase()];
  return {
    format: 1,
    kind: "table",
    name: "my_arm",
    convention: "standard",
    angle: "deg",
    length: "m",
    gravity: ["0", "0", "-9.81"],
    inertia_about: "com",
    description: "",
    source: "",
    values: [],
    rows: kinds.map((kind, i) => ({ ...emptyRow("table"), type: kind === "P" ? "prismatic" : "revolute", a: kind === "P" ? "0" : `l${i + 1}` })),
    dynamics: kinds.map((kind, i) => bodyOf(kind, i + 1, masses)),
    extra_toml: "",
  };
}

/** A cell's address as the reader's errors write it: "theta", "limits[2]", "inertia.xx". */
export type Address = string;

const PART = /^(\w+)(?:\[(\d)\]|\.(\w+))?$/;

export function cellOf(record: object, address: Address): string {
  const [, head, index, key] = PART.exec(address) ?? [];
  const value = (record as Record<string, unknown>)[head ?? ""];
  if (index !== undefined) return (value as string[] | null)?.[Number(index) - 1] ?? "";
  if (key !== undefined) return (value as Record<string, string> | undefined)?.[key] ?? "";
  return typeof value === "string" ? value : "";
}

export function withCell<T extends object>(record: T, address: Address, text: string): T {
  const [, head, index, key] = PART.exec(address) ?? [];
  if (head === undefined || !(head in record)) return record;
  const value = (record as Record<string, unknown>)[head];
  if (index !== undefined) {
    const list = [...((value as string[] | null) ?? NONE)];
    list[Number(index) - 1] = text;
    return { ...record, [head]: list };
  }
  if (key !== undefined) return { ...record, [head]: { ...(value as object), [key]: text } };
  return { ...record, [head]: text };
}

const IN_DYNAMICS = /^(mass|com|inertia|motor_inertia|friction)\b/;

export const read = (document: RobotDocument, row: number, address: Address): string =>
  cellOf((IN_DYNAMICS.test(address) ? document.dynamics[row] : document.rows[row]) ?? {}, address);

export function write(document: RobotDocument, row: number, address: Address, text: string): RobotDocument {
  const changed = <T extends object>(list: T[]): T[] => list.map((item, i) => (i === row ? withCell(item, address, text) : item));
  return IN_DYNAMICS.test(address)
    ? { ...document, dynamics: changed(document.dynamics) }
    : { ...document, rows: changed(document.rows) };
}

export const inserted = (document: RobotDocument, at: number): RobotDocument => ({
  ...document,
  rows: document.rows.toSpliced(at, 0, emptyRow(document.kind)),
  dynamics: document.dynamics.toSpliced(at, 0, emptyDynamics()),
});

export const removed = (document: RobotDocument, at: number): RobotDocument => ({
  ...document,
  rows: document.rows.toSpliced(at, 1),
  dynamics: document.dynamics.toSpliced(at, 1),
});

function swapped<T>(list: T[], i: number, j: number): T[] {
  const copy = [...list];
  [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  return copy;
}

export const moved = (document: RobotDocument, from: number, to: number): RobotDocument =>
  to < 0 || to >= document.rows.length
    ? document
    : { ...document, rows: swapped(document.rows, from, to), dynamics: swapped(document.dynamics, from, to) };

/** A block of cells put in from one cell on, rightwards and downwards; rows are added where the table ends. */
export function filled(document: RobotDocument, block: string[][], row: number, columns: Address[]): RobotDocument {
  return block.reduce((done, cells, i) => {
    const grown = row + i < done.rows.length ? done : inserted(done, done.rows.length);
    return cells.slice(0, columns.length).reduce((doc, cell, j) => write(doc, row + i, columns[j]!, cell), grown);
  }, document);
}
