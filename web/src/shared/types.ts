// What Python hands to the pages: the drawing of a robot and the module of its models. Matrices are rows of numbers.

export type Vector = [number, number, number];
export type Matrix = number[][];
export type Kind = "revolute" | "prismatic" | "helical" | "continuous" | "fixed" | (string & {});
/** A number, the name of a value, or a list: the name of an operation, then its inputs. */
export type Formula = number | string | Formula[];
export type Cell = "theta" | "d" | "a" | "alpha";

/** One elementary step: what it does (`rx ry rz tx ty tz`), by how much, and the table's cell it stands for. */
export type Step = [string, number, Cell | ""];

/** It moves links[i + 1] by x = offset + Σ factor · q[c]: a turn of turn·x about z and a shift of slide·x along it. */
export interface DrawnJoint {
  name: string;
  kind: Kind;
  index: number; // of its coordinate in q; −1 where several move it
  scale: number;
  offset: number;
  terms: [number, number][]; // coordinate and factor
  turn: number;
  slide: number;
  pitch: number;
  parent: number; // the joint whose link it stands on; −1: the base
  unit: "rad" | "m";
  limits: [number, number] | null;
  range: [number, number] | null; // where a slider goes: the limits or, without, ±180° or a stroke; null: it follows
  before: Step[];
  after: Step[];
}

export type Shape =
  | { kind: "tube"; from: number[]; to: number[]; radii: [number, number]; paint: string }
  | { kind: "ball"; at: number[]; radius: number; paint: string }
  | { kind: "drum"; at: number[]; axis: number[]; radius: number; length: number; paint: string }
  | { kind: "ring"; at: number[]; axis: number[]; radius: number; length: number; paint: string }
  | { kind: "box"; frame: Matrix; size: number[]; paint: string }
  | { kind: "mesh"; frame?: Matrix; vertices: number[][]; faces: number[][]; paint: string };

export interface DrawnLink {
  name: string;
  shapes: Shape[];
  mass: number | null;
  com: number[] | null;
  ellipsoid: { frame: Matrix; radii: number[] } | null;
}

/** How links look where a file says so: by the name of the joint that moves them, "" the base. */
export interface Looks {
  shapes: Record<string, Shape[]>;
  paints: Record<string, string>;
}

export interface Drawing {
  format: number;
  name: string;
  dof: number;
  size: number;
  reach: { centre: number[]; radius: number };
  up: number[]; // against gravity
  floor: number; // height along `up`
  base: Matrix;
  joints: DrawnJoint[];
  links: DrawnLink[]; // links[0] is the base, links[i] moves with joints[i - 1]
  tool: { on: number; frame: Matrix; shapes: Shape[] }; // on joint `on`, −1: the base
  payload: { at: number[]; mass: number } | null;
  frames: string[];
  coordinates: string[];
  poses: Record<string, number[]>;
  rest?: number[]; // a position that shows the arm well
  paints: Record<string, string>;
  stand_ins: Record<string, number>;
  /** In a report: by letter of the geometry, how numbers of this record grow with it, as [path…, slope]. */
  slopes?: Record<string, (string | number)[][]>;
}

export interface Port {
  name: string;
  size: number | number[];
  unit: string | string[];
}

export interface ModelData {
  inputs: Port[];
  outputs: Port[];
  parameters: string[]; // of p, those it depends on
  method: string;
  cost: { mul: number; add: number; trig: number; total: number; [kind: string]: number };
}

export interface RobotData {
  format: number;
  name: string;
  dof: number;
  joints: {
    name: string;
    kind: Kind;
    unit: "rad" | "m";
    limits: [number, number] | null;
    velocity_limit: number | null;
    effort_limit: number | null;
  }[];
  /** The order of p; `default` is what p has where nothing is said, a stand-in where `value` is null. */
  parameters: { name: string; value: number | null; unit: string; about: string; stand_in?: boolean; default: number }[];
  models: Record<string, ModelData>;
  tasks: ("position" | "pose")[]; // what the closed form can be asked, the usual first; none without one
  branches: { name: string }[];
  redundancy: { name: string; unit: string; about: string; range: [number, number] | null } | null;
  poses: Record<string, number[]>;
  missing?: { model: string; why: string }[];
}

export interface Branch {
  name: string;
  q: number[];
  valid: boolean; // the closed form holds here
  inside: boolean; // within the limits of the joints
  reason: string; // why not, in a sentence; empty where nothing is wrong
  residual: number;
}

export interface Branches {
  branches: Branch[];
  nearest: number; // index of the usable branch nearest to `near`, −1 where it is missing
  task?: "position" | "pose";
}

/** The emitted module of a robot; a model that could not be made is absent. */
export interface RobotModule {
  robot: RobotData;
  pose?(q: number[], p?: number[]): Matrix;
  frames?(q: number[], p?: number[]): Matrix[];
  axes?(q: number[], p?: number[]): Matrix[];
  jacobian?(q: number[], p?: number[]): Matrix;
  inertia_matrix?(q: number[], p?: number[]): Matrix;
  gravity?(q: number[], p?: number[]): number[];
  coriolis?(q: number[], qd: number[], p?: number[]): number[] | Matrix;
  inverse_dynamics?(q: number[], qd: number[], qdd: number[], p?: number[]): number[];
  forward_dynamics?(q: number[], qd: number[], tau: number[], p?: number[]): number[];
  energy?(q: number[], qd: number[], p?: number[]): { kinetic: number; potential: number };
  manipulability?(q: number[], p?: number[]): { w: number; translation: number; rotation: number };
  inverse_kinematics?(
    T: Matrix,
    p?: number[],
    options?: { parameter?: number | null; near?: number[]; limits?: boolean; reasons?: boolean; task?: "position" | "pose" },
  ): Branches;
  redundancy_parameter?(q: number[], p?: number[]): number | null; // null where it is not sure
  tool_step?(q: number[], T: Matrix, p?: number[]): number[];
  /** Where the arm goes when its tool is pulled to T: to an answer that is near, else by steps. It never jumps. */
  drag?(q: number[], T: Matrix, p?: number[], options?: { limits?: boolean; steps?: number }): { q: number[]; reached: boolean; placed: boolean; branch: number };
}

export interface Ghost {
  name: string;
  q: number[];
  valid: boolean;
  reason: string;
}

export interface Shown {
  frames: boolean;
  axes: boolean;
  names: boolean;
  ranges: boolean;
  com: boolean;
  inertia: boolean;
  trail: boolean;
  cloud: boolean;
  branches: boolean;
  forces: boolean;
  payload: boolean;
}
