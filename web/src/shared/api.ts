// What the studio's server answers, written by `python -m tests.units.studio.contract`. Where its types are,
// studio/tasks/replies.py, they are explained. In the document of a robot every cell is text as it was typed.
import type { Drawing, Formula } from "./types";

export interface Named { name: string; value: string }
export interface Row {
  name: string; type: string; theta: string; d: string; a: string; alpha: string; pitch: string; xyz: [string, string, string] | null;
  rpy: [string, string, string] | null; axis: [string, string, string] | null; direction: string; limits: [string, string];
  velocity_limit: string; effort_limit: string; extra_toml: string;
}
export interface TensorCells { xx: string; yy: string; zz: string; xy: string; xz: string; yz: string }
export interface FrictionCells { viscous: string; coulomb: string; offset: string }
export interface Dynamics {
  mass: string; com: [string, string, string]; inertia: TensorCells; motor_inertia: string; friction: FrictionCells;
}
export interface RobotDocument {
  format: 1; kind: "table" | "frames"; name: string; convention: string; angle: string; length: string; gravity: [string, string, string];
  inertia_about: string; description: string; source: string; values: Named[]; rows: Row[]; dynamics: Dynamics[]; extra_toml: string;
}
export interface UnitFix { angle?: "deg" | "rad"; length?: "m" | "mm" }
export interface Notice { message: string; problem: string; row: number | null; column: string; fix?: UnitFix }
export interface Fault { message: string; problem: string; hint: string; row: number | null; column: string }
export interface Failure { message: string; problem?: string; hint?: string; row?: number | null; column?: string; internal?: boolean }
export interface ErrorAnswer { error: Failure }
export interface LibraryEntry { name: string; dof: number; about: string }
export interface ModelTitle { name: string; about: string; group: string }
export interface Gain { name: string; about: string; unit: string; value: number | null }
export interface LawEntry { name: string; about: string; settings: Gain[] }
export interface FormatEntry { name: string; label: string; endings: string[]; written: boolean; visuals: "" | "held" | "named" }
export interface Known {
  library: LibraryEntry[]; models: ModelTitle[]; methods: Record<string, string[]>; languages: string[]; options: Record<string, string[]>;
  laws: LawEntry[]; joint_types: string[]; formats: FormatEntry[];
}
export interface FileEntry { name: string; size: number; changed: number; digest: string }
export interface FilesAnswer { files: FileEntry[] }
export interface DraftContent { document: RobotDocument; base: string | null; file: string | null }
export interface Draft { document: RobotDocument; base: string | null; file: string | null; name: string; saved: number }
export interface Start {
  library: LibraryEntry[]; models: ModelTitle[]; methods: Record<string, string[]>; languages: string[]; options: Record<string, string[]>;
  laws: LawEntry[]; joint_types: string[]; formats: FormatEntry[]; files: FileEntry[]; version: string; language: string; folder: string;
  open: string | null; drafts: Draft[];
}
export interface ConvertAnswer { document: RobotDocument; warnings: Notice[] }
export interface ReadResult { document: RobotDocument; warnings: Notice[]; format: string }
export interface ReadAnswer { document: RobotDocument; warnings: Notice[]; format: string; base: string | null }
export interface RobotParameter { name: string; value: number | null; unit: string; about: string; stand_in: number | null }
export interface Faults { errors: Fault[] }
export interface Drawn {
  document: RobotDocument; drawing: Drawing; parameters: RobotParameter[]; dof: number; joint_names: string[]; frame: string;
  warnings: Notice[]; toml: string; digest: string; errors: Fault[];
}
export type DrawAnswer = Drawn | Faults;
export interface ExportAnswer { name: string; text: string; warnings: Notice[] }
export interface FileText { text: string }
export interface JobAnswer { job: string }
export interface Figures { done: number; count: number; failed: number; rate: number; left: number | null }
export interface ProgressLine { text: string; seconds: number; figures?: Figures }
export type State = "waiting" | "running" | "done" | "failed" | "cancelled";
export interface JobState {
  job: string; kind: string; state: "waiting" | "running" | "done" | "failed" | "cancelled"; lines: ProgressLine[]; result?: unknown;
  error?: Failure;
}
export interface JobsAnswer { jobs: JobState[] }
export interface FileLink { url: string }
export interface MissingModel { model: string; why: string }
export interface ModuleAnswer { url: string; missing: MissingModel[] }
export interface EquationTerm { tex: string; text: string; tree: Formula }
export interface EquationLine { name: string; left: string; terms: EquationTerm[] }
export interface Abbreviation { name: string; tex: string }
export interface OperationCounts {
  mul: number; add: number; neg: number; div: number; sqrt: number; trig: number; other: number; total: number; offline?: OperationCounts;
}
export interface EquationsAnswer {
  model: string; method: string; lines: EquationLine[]; text: string; legend: Abbreviation[]; units: Record<string, string>;
  count: OperationCounts; conditions: string[]; intermediates: number; proof: string; error_exponent: number; form: string; remark: string;
}
export interface CountedMethod {
  model: string; method: string; mul: number; add: number; total: number; trig: number; offline: number; substituted: number;
}
export interface PublishedCount { robot: string; model: string; total: number; source: string; method: string }
export interface CountsAnswer { rows: CountedMethod[]; published: PublishedCount[]; missing: MissingModel[] }
export interface EmittedFile { name: string; text: string }
export interface CodeAnswer { files: EmittedFile[] }
export interface DerivedLine { kind: "text" | "tex"; text: string }
export interface DerivedStep { title: string; finds: string; choice: string; lines: DerivedLine[]; roots: string; singular: string }
export interface SingularPiece { name: string; says: string }
export interface SingularCases { pieces: SingularPiece[]; lines: string[]; never: boolean }
export interface InverseAnswer {
  arm_class: string; why: string; free: string | null; derivation: DerivedStep[]; letters: string; latex: string;
  singularities: SingularCases | null;
}
export interface ChainStep {
  number: string; title: string; says: string[]; equations: string[]; remarks: string[]; folded: boolean; steps: ChainStep[];
}
export interface DerivationParts { title: string; says: string[]; steps: ChainStep[]; legend: string[] }
export interface DerivationAnswer {
  title: string; says: string[]; steps: ChainStep[]; legend: string[]; topic: string; proof: string; latex: string; text: string;
}
export interface CheckedLaw {
  name: string; sentence: string; how: "proved" | "measured" | "noted"; passed: boolean; detail: string; checked: boolean;
}
export interface CheckAnswer { robot: string; passed: boolean; verdicts: CheckedLaw[] }
export interface BaseRow { name: string; value: number | null; text: string; tex: string }
export interface BaseAnswer {
  count: number; standard: number; rows: BaseRow[]; classes: Record<string, string[]>; proof: string; error_exponent: number;
}
export interface JointUnits { q: string[]; tau: string[] }
export interface Energy { kinetic: number[]; potential: number[] }
export interface MotionAnswer {
  t: number[]; q: number[][]; qd: number[][]; qdd: number[][]; tau: number[][]; power: number[][]; tool: number[][]; energy: Energy;
  manipulability: number[] | null; units: JointUnits; joints: string[]; stand_ins: Record<string, number>;
}
export interface SeamReason { kind: string; first: number; last: number; text: string }
export interface SeamAnswer {
  text: string; poses: number[]; q: number[][]; jumps: number[]; reasons: SeamReason[]; csv: string; joints: string[]; units: JointUnits;
  stand_ins: Record<string, number>;
}
export interface Rest { joint: string; since: number; until: number }
export interface SimulateAnswer {
  t: number[]; q: number[][]; qd: number[][]; tau: number[][]; ref: number[][] | null; error: number[][] | null; balance: number;
  modes: Rest[]; whole: boolean; units: JointUnits; joints: string[]; warnings: Notice[]; stand_ins: Record<string, number>;
}
export interface FoundParameter {
  name: string; value: number | null; sigma: number | null; prior: number | null; unit: string; family: string;
}
export interface JointError { joint: string; percent: number }
export interface LogErrors { log: string; percent: number; joints: JointError[] }
export interface JointCourse { joint: string; unit: string; t: number[]; measured: number[]; predicted: number[] }
export interface LogCourse { log: string; joints: JointCourse[] }
export interface IdentifyAnswer {
  text: string; parameters: FoundParameter[]; errors: LogErrors[]; courses: LogCourse[]; consistent: boolean; warnings: string[];
  document: RobotDocument; report: string;
}
export interface LooksAnswer { url: string | null; notes: string[] }
export interface FieldCell { label: string; unit: string }
export interface FieldRange { name: string; unit: string; low: number; high: number | null }
export type FieldKind = "count" | "number" | "flag" | "choice" | "joints" | "efforts" | "vector" | "box" | "levels" | "ranges" | "lines" | "logs";
export interface StudyField {
  name: string; about: string;
  kind: "count" | "number" | "flag" | "choice" | "joints" | "efforts" | "vector" | "box" | "levels" | "ranges" | "lines" | "logs";
  unit: string; cells: FieldCell[]; value: (number | null)[] | string | boolean | null; choices: string[]; by: string;
  ranges: Record<string, FieldRange[]>;
}
export interface StudyForm { name: string; about: string; fields: StudyField[]; written: string[] }
export interface StudiesAnswer { studies: StudyForm[] }
export interface ResultColumn { name: string; unit: string; about: string }
export interface Curve { name: string; x: number[]; share: number[] }
export interface CaseFailure { why: string; cases: number; first: number }
export interface StudyFiles { toml: string; npz: string; csv?: string; html: string }
export interface StudyAnswer {
  study: string; title: string; count: number; failed: number; computed: number; heads: string[]; rows: string[][]; columns: ResultColumn[];
  parts: string[]; curves: Curve[]; failures: CaseFailure[]; files: StudyFiles; warnings: Notice[]; stand_ins: Record<string, number>;
}
export interface SaveAnswer { name: string; base: string; saved: number }
export interface Theirs { text: string; digest: string; document: RobotDocument | null }
export interface ConflictAnswer { error: Failure; theirs: Theirs | null }
export interface DraftAnswer { saved: number }
export interface Nothing {}
