// What the studio's page and its server say to each other (manipula/studio). Every cell is text as it was typed.
//
// Cells: a bare number (decimal point or comma) is in the document's units; "90°", "1.57 rad", "430 mm" say their own;
// a name or an expression ("pi/2", "2*L1") is SI; "" is not given. Where the joint moves, "q1" and "θ1 + 90°" are read.

// ---- the document

export type Angle = "deg" | "rad";
export type Length = "m" | "cm" | "mm";
export type Convention = "standard" | "modified" | "urdf";
export type Triple = [string, string, string];

/** One joint. In a table (`kind: "table"`) theta, d, a, alpha count; in frames xyz, rpy, axis, and theta (d) is the
 *  offset of a joint that turns (slides). null: the row has none of these cells. */
export interface Row {
  name: string;
  type: string; // "revolute" | "prismatic" | "fixed" | "helical"; "R", "P" and their like are read too
  theta: string;
  d: string;
  a: string;
  alpha: string;
  pitch: string; // helical joints only
  xyz: Triple | null;
  rpy: Triple | null;
  axis: Triple | null;
  direction: string; // "1", "-1" or ""
  limits: [string, string]; // ["", ""]: none
  velocity_limit: string;
  effort_limit: string;
  extra_toml: string; // what of this joint has no cell: parent, coordinate, springs, carries, gear, laws of friction …
}

/** What row i moves and how it rubs; SI but for `com`, which is in the document's length. "" is unknown (a symbol). */
export interface Dynamics {
  mass: string;
  com: Triple; // all "": unknown
  inertia: { xx: string; yy: string; zz: string; xy: string; xz: string; yz: string };
  motor_inertia: string;
  friction: { viscous: string; coulomb: string; offset: string };
}

export interface RobotDocument {
  format: 1;
  kind: "table" | "frames";
  name: string;
  convention: Convention;
  angle: Angle;
  length: Length;
  gravity: Triple; // m/s²
  inertia_about: "com" | "origin";
  description: string;
  source: string;
  values: { name: string; value: string }[]; // of names, SI
  rows: Row[];
  dynamics: Dynamics[]; // as many as rows
  extra_toml: string; // what of the file has no cell: [base], [tool], [poses], [[payload]], [[frame]], notes …
}

// ---- errors
// Sentences are in the language of the header `X-Language` ("en", "pt"), of `?lang=` in the address of a stream, or in the
// one the studio was started in.

/** The file reader's own sentence. `row` counts from 0; `column` names the cell: "theta", "limits[2]", "com[1]",
 *  "inertia.xx", "friction.viscous", "xyz[3]", "mass" …; without a row "name", "convention", "gravity[3]",
 *  "values.l1", "extra_toml" …. A column that is no cell (or "") is of the whole row, or of the whole document. */
export interface Fault {
  message: string; // joint 2 'elbow': a: found '90º': … (…)
  problem: string; // found '90º': …
  hint: string; // what would be right
  row: number | null;
  column: string;
}

/** Every answer that is not 2xx. 400 bad input, 401 no token, 403, 404, 409 (save), 413, 421, 500. */
export interface ErrorAnswer {
  error: { message: string } & Partial<Fault>;
}

// ---- GET /api/start

export interface Start {
  version: string;
  language: "en" | "pt";
  library: { name: string; dof: number; about: string }[];
  models: { name: string; about: string }[];
  methods: Record<string, string[]>; // by model; the first is the plain one, "best" may be asked for, too
  languages: string[]; // of emitted code
  options: Record<string, string[]>; // of CodeRequest, by language: those it has
  /** value: to begin with, null: none; unit "" where it has none */
  laws: { name: string; about: string; settings: { name: string; about: string; unit: string; value: number | null }[] }[];
  forms: string[]; // of equations
  joint_types: string[];
  folder: string; // where files are read and saved; shown, never sent back
  files: FileEntry[];
  open: string | null; // the file named on the command line
  drafts: { name: string; saved: number; document: RobotDocument; base: string | null; file: string | null }[];
  limits: { body: number; upload: number };
}
export interface FileEntry {
  name: string; // relative to the folder, "arms/elbow.toml"
  size: number;
  changed: number; // seconds since 1970
  digest: string; // of .toml files; "" of others
}
/** GET /api/files */
export interface Files {
  files: FileEntry[];
}

// ---- POST /api/read

export type ReadRequest =
  | { library: string }
  | { file: string }
  | {
      text: string;
      format?: "toml" | "urdf" | "mjcf" | "par" | "csv" | "table";
      name?: string;
      angle?: Angle;
      length?: Length;
      convention?: "standard" | "modified";
      columns?: string; // of a table without a header: "alpha a d theta"
      tip?: string; // of a URDF or MJCF
    };
export interface ReadAnswer {
  document: RobotDocument;
  warnings: Warning[]; // what had to be assumed
  base: string | null; // digest of the file, to be given back on save
}

// ---- POST /api/draw { document, values?: Record<string, number> }: values of letters, for now

export interface Warning {
  message: string;
  row: number | null;
  column: string;
}
export interface Parameter {
  name: string;
  value: number | null; // null: symbolic
  unit: string;
  about: string;
  stand_in: number | null; // what is drawn and computed with while there is no value
}
export type DrawAnswer =
  | {
      document: RobotDocument; // normalised
      drawing: unknown; // Drawing of types.ts
      parameters: Parameter[];
      dof: number;
      joint_names: string[];
  frame: string; // what the tool is where the robot has several ends; "" where it has one
      warnings: Warning[];
      toml: string;
      digest: string; // of the robot; names modules and results
      errors: [];
    }
  | { errors: Fault[] };

// ---- POST /api/convert { document, to } : the same arm otherwise

/** `convention`: "standard" | "modified" | "urdf". Changing `angle` or `length` keeps the arm and rewrites its numbers. */
export interface ConvertRequest {
  document: RobotDocument;
  convention?: Convention;
  angle?: Angle;
  length?: Length;
}
export interface ConvertAnswer {
  document: RobotDocument;
}
/** POST /api/export { document, format } : the text of a file, to be downloaded. */
export interface ExportRequest {
  document: RobotDocument;
  format: "toml" | "urdf" | "par" | "csv";
}
export interface ExportAnswer {
  name: string;
  text: string;
  warnings: Warning[];
}

// ---- jobs: module, equations, counts, code, inverse, check, base, motion, simulate, identify, report, studies, study

/** The answer to a POST that starts long work. The same question asked again gives the same job. */
export interface JobAnswer {
  job: string;
}
/** GET /api/jobs/ID/events: text/event-stream. A reader that comes again (Last-Event-ID, or not) hears all lines anew.
 *    event: progress   data: { text, seconds }
 *    event: result     data: the result        (then the stream ends)
 *    event: failed     data: ErrorAnswer       (then the stream ends; "error" is EventSource's own word)
 *    event: cancelled  data: {}                (then the stream ends)
 *  GET /api/jobs/ID: JobState.  GET /api/jobs: those under way.  POST /api/jobs/ID/cancel: {}. */
export interface Progress {
  text: string;
  seconds: number;
  figures?: Figures; // of a study
}
export interface Figures {
  done: number;
  count: number;
  failed: number;
  rate: number; // cases a second
  left: number | null; // s
}
export interface JobState {
  job: string;
  kind: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  lines: Progress[];
  result?: unknown;
  error?: ErrorAnswer["error"];
}

/** POST /api/module → job → */
export interface ModuleRequest {
  document: RobotDocument;
  optimise: "none" | "fast";
  models?: string[];
}
export interface ModuleAnswer {
  url: string; // "/models/DIGEST.mjs": import(url)
  missing: { model: string; why: string }[];
}

/** POST /api/equations → job → */
export interface EquationsRequest {
  document: RobotDocument;
  model: string;
  method?: string; // "best"
  form?: "factored" | "expanded" | "auxiliary";
  names?: "file" | "book";
  symbolic?: "auto" | "all" | "none";
  optimise?: "none" | "fast";
  entries?: string[]; // "A[1,1]"
}
export interface EquationsAnswer {
  model: string;
  method: string;
  form: string;
  latex: { name: string; tex: string }[]; // one line of an aligned display each; name: "tau[1]" or an intermediate
  equations: { left: string; right: string }[]; // the same as plain text
  text: string; // all of it, for copying
  legend: { name: string; tex: string; text: string }[]; // c12 = cos(q1 + q2)
  units: Record<string, string>; // of inputs and outputs
  count: Cost; // of what runs
  written: number; // operators as written here
  conditions: string[];
  intermediates: number; // how many of the lines are intermediate
  proof: string;
  chance: string; // 1e-32: that something wrong passed the proof
  explain: string;
}
export interface Cost {
  mul: number;
  add: number;
  neg: number;
  div: number;
  sqrt: number;
  trig: number;
  other: number;
  total: number;
  offline: Cost | null;
}

/** POST /api/counts { document, models?, steps? } → job → */
export interface CountsAnswer {
  rows: {
    model: string; method: string; mul: number; add: number; total: number; trig: number; offline: number;
    substituted: number;
  }[];
  published: { robot: string; model: string; total: number; source: string; method: string }[];
  missing: { model: string; why: string }[]; // models this robot does not have
}

/** POST /api/code → job →; POST /api/zip with the same body → job → { url }: GET it as a file. */
export interface CodeRequest {
  document: RobotDocument;
  language: string;
  models: string[];
  method?: string;
  optimise?: "none" | "fast" | "max";
  symbolic?: "auto" | "all" | "none";
  options?: {
    dtype?: "" | "float32" | "float64"; batch?: boolean; single_file?: boolean; sincos?: boolean; prefix?: string;
    proof?: boolean;
  };
}
export interface CodeAnswer {
  files: { name: string; text: string; language: string }[];
  cost: Record<string, Cost | null>; // by model
}
export interface ZipAnswer {
  url: string; // "/files/DIGEST/NAME.zip"
}

/** POST /api/inverse { document } → job → */
export interface InverseAnswer {
  class: string;
  why: string;
  closed: boolean;
  branch_count: number | null;
  branches: string[];
  roles: string[];
  free: string | null; // what a redundant arm leaves free
  /** Words have formulas between $; `choice` is the branch a step opens, `singular` where it fails. */
  derivation: {
    title: string; finds: string; choice: string; lines: { kind: "text" | "tex"; text: string }[]; roots: string;
    singular: string;
  }[];
  latex: string;
  text?: string;
  letters: string; // what the letters of the pose mean; formulas between $
  singularities: { pieces: { name: string; says: string }[]; lines: string[]; never: boolean } | null; // lines: LaTeX
}

/** POST /api/check { document } → job → */
export interface CheckAnswer {
  passed: boolean;
  verdicts: {
    name: string; sentence: string; how: "proved" | "measured" | "noted"; passed: boolean; detail: string;
    checked: boolean;
  }[];
}

/** POST /api/base { document } → job → */
export interface BaseAnswer {
  count: number;
  standard: number;
  rows: { name: string; value: number | null; text: string; tex: string }[];
  classes: Record<string, string[]>; // "not identifiable" | "alone" | "in combinations" → names
  proof: string;
  chance: string;
}

/** A motion from rest to rest; q in rad and m. */
export interface Motion {
  kind: "quintic" | "trapezoid" | "spline" | "line"; // line: of the tool
  from?: number[]; // default: all zero
  to?: number[]; // where the joints end, or the tool where they would take it
  points?: number[][]; // spline
  duration?: number; // s
}
/** POST /api/motion { document, motion, values? } → job →; arrays are [time][joint] */
export interface MotionAnswer {
  t: number[];
  q: number[][];
  qd: number[][];
  qdd: number[][];
  tau: number[][];
  energy: { kinetic: number[]; potential: number[] };
  manipulability: number[] | null;
  tool: number[][]; // x, y, z
  power: number[][];
  units: { q: string[]; tau: string[] };
  joints: string[];
  stand_ins: Record<string, number>; // values the document does not give and that were taken
}

/** POST /api/simulate → job → */
export interface SimulateRequest {
  document: RobotDocument;
  law: string; // "" : free
  gains?: Record<string, number | number[]>;
  reference?: Motion;
  start?: number[];
  until?: number;
  sample?: number; // s; 0: continuous
  step?: number;
  method?: string;
  friction?: "stick" | "smooth" | "none";
  payload?: number; // kg in the hand that the law does not know of
  push?: { from: number; to: number; force: [number, number, number] } | null; // on the tool, world, N
  noise?: { q: number; qd: number } | null;
  values?: Record<string, number>;
}
export interface SimulateAnswer {
  t: number[];
  q: number[][];
  qd: number[][];
  tau: number[][];
  ref: number[][] | null;
  error: number[][] | null;
  joints: string[];
  units: { q: string[]; tau: string[] };
  peaks: Record<string, number | string | null>[];
  balance: number;
  modes: { joint: string; from: number; to: number; why: string }[]; // where a joint rests
  whole: boolean;
  warnings: Warning[];
  stand_ins: Record<string, number>;
}

/** POST /api/identify: multipart/form-data: `document` (JSON), `logs` (files), `validate` (files) → job → */
export interface IdentifyAnswer {
  text: string; // the summary
  parameters: { name: string; value: number | null; sigma: number | null; prior: number | null; unit: string; family: string }[];
  errors: { log: string; joints: { joint: string; percent: number }[]; percent: number }[];
  /** Torques over time of the logs of `errors`, in their order; a few hundred points, peaks of the residual among them. */
  courses: { log: string; joints: { joint: string; unit: string; t: number[]; measured: number[]; predicted: number[] }[] }[];
  consistent: boolean;
  warnings: string[];
  document: RobotDocument; // with what was found
  report: string; // url of a page that stands alone
}

/** POST /api/looks { file } → job →: how the links of a URDF in the folder look. `url`: GET it, Looks of types.ts; null: as
 *  the solids do. `notes`: what could not be drawn. */
export interface LooksAnswer {
  url: string | null;
  notes: string[];
}

/** POST /api/report { document, hidden?: parts of a report, file?: the URDF whose looks are drawn } → job → { url }: GET it
 *  as a file. */
export interface ReportAnswer {
  url: string;
}

/** POST /api/studies { document, values? } → job →: the ready studies, each with the form of its settings for this arm. */
export interface StudiesAnswer {
  studies: { name: string; about: string; fields: StudyField[]; written: string[] }[]; // written: said in a study file alone
}
/** How a setting is typed: into cells, each with its label and SI unit; a word of `choices`; or, for each word of the
 *  setting `by`, two ends of some names (without a second end the first is held); or as lines of a study file. */
export interface StudyField {
  name: string;
  about: string;
  kind: "count" | "number" | "flag" | "choice" | "joints" | "efforts" | "vector" | "box" | "levels" | "ranges" | "lines" | "logs";
  unit: string;
  cells: { label: string; unit: string }[];
  value: (number | null)[] | string | boolean | null; // to begin with: one for each cell, the word, yes or no
  choices: string[];
  by: string;
  ranges: Record<string, { name: string; unit: string; low: number; high: number | null }[]>;
}
/** What stands in a cell: a number in SI, what was typed where that is no number, null where it is empty. */
export type Typed = number | string | boolean | null;
/** POST /api/study → job →; with recordings as multipart/form-data: `document` (JSON), `asked` (the rest, JSON), `logs`.
 *  A setting that cannot be is told with `column`, its name. The same question goes on where it was cancelled. */
export interface StudyRequest {
  document: RobotDocument;
  study: string;
  settings: Record<string, Typed[] | string | boolean | Record<string, [Typed, Typed]>>; // by name; all cells empty: the study's own
  seed?: Typed;
  cores?: boolean; // on every core; the same bytes
  recordings?: string[]; // the names of `logs` where they come from: what the study file calls them
  values?: Record<string, number>;
}
export interface StudyAnswer {
  study: string;
  title: string;
  count: number;
  failed: number;
  computed: number; // the others were kept from before
  heads: string[];
  rows: string[][]; // a result each: its name, then lowest, 5 %, median …
  columns: { name: string; unit: string; about: string }[];
  parts: string[]; // HTML without scripts and styles: the pictures and tables of the study's own page
  curves: { name: string; x: number[]; share: number[] }[]; // of cases at or below
  failures: { why: string; cases: number; first: number }[];
  files: { toml: string; npz: string; csv?: string; html: string }; // addresses
  warnings: Warning[];
  stand_ins: Record<string, number>;
}

// ---- files

/** POST /api/save. `base`: digest of the file as it was read, or null for a new one. */
export interface SaveRequest {
  name: string; // "arm.toml", within the folder
  document: RobotDocument;
  base: string | null;
}
export interface SaveAnswer {
  name: string;
  base: string; // the new digest
  saved: number; // seconds since 1970
}
/** 409: the file changed since it was read (another tab, an editor). */
export interface ConflictAnswer extends ErrorAnswer {
  theirs: { text: string; digest: string; document: RobotDocument | null } | null; // null: it is gone
}
/** POST /api/draft: kept at every edit, valid or not; `document: null` forgets it. GET /api/start gives them back. */
export interface DraftRequest {
  name: string; // of the draft: one for each page
  document: RobotDocument | null;
  base: string | null;
  file: string | null;
}
export interface DraftAnswer {
  saved: number;
}
