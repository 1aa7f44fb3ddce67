// What is asked of a study: the chosen one, what was typed into its fields, and the work itself; all of it is there
// again after a reload.
import { computed, effect, signal } from "@preact/signals";
import type { StudiesAnswer, StudyAnswer, StudyField } from "../../shared/api";
import { drawn, known, standIns } from "../state/drawing";
import { Job } from "../state/jobs";
import { robot } from "../state/work";

const KEY = "manipula.studio.study";
/** The contents of a cell: a number in SI, what was typed where that is not a number, null where it is empty. */
export type Typed = number | string | boolean | null;

interface Kept {
  study: string;
  typed: Record<string, Typed>;
  cores: boolean;
  job: string;
  of: string;
}

function kept(): Partial<Kept> {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Partial<Kept> | null) ?? {};
  } catch {
    return {};
  }
}

const before = kept();
export const forms = new Job<StudiesAnswer>();
export const job = new Job<StudyAnswer>();
export const chosen = signal(before.study ?? "");
/** By study, field and cell: a number is in SI; what is not here is as the form begins. */
export const typed = signal<Readonly<Record<string, Typed>>>(before.typed ?? {});
export const cores = signal(before.cores ?? false);
export const logs = signal<File[]>([]);
/** Somebody waits for the answer: it is brought into view when it comes. */
export const awaited = signal(false);
/** The arm that the answer is of. */
const of = signal(before.of ?? "");

export const studies = computed(() => forms.result.value?.studies ?? []);
export const study = computed(() => studies.value.find(({ name }) => name === chosen.value) ?? studies.value[0]);
export const another = computed(() => of.value !== (drawn.value?.digest ?? ""));

// cells of another number of joints are others
const keyOf = (field: StudyField, cell: string | number): string => `${study.value?.name} ${field.name} ${field.cells.length} ${cell}`;

const first = (field: StudyField, cell: number): Typed => (Array.isArray(field.value) ? (field.value[cell] ?? null) : field.value);

export const cellOf = (field: StudyField, cell: number): Typed => valueAt(keyOf(field, cell), first(field, cell));
export const put = (field: StudyField, cell: string | number, value: Typed): void => void (typed.value = { ...typed.value, [keyOf(field, cell)]: value });

const valueAt = (key: string, otherwise: Typed): Typed => {
  const found = typed.value[key];
  return found === undefined ? otherwise : found;
};

export const SEED: StudyField = { name: "seed", about: "seed of the random numbers; equal seeds give equal results", kind: "count", unit: "", cells: [{ label: "", unit: "" }], value: [0], choices: [], by: "", ranges: {} };

/** The rows of a field of ranges: those of the word that another field holds. */
export function rangesOf(field: StudyField): StudyField["ranges"][string] {
  const by = study.value?.fields.find(({ name }) => name === field.by);
  return by ? (field.ranges[String(cellOf(by, 0))] ?? []) : [];
}

export const endKey = (field: StudyField, name: string, end: number): string => `${cellOf(study.value!.fields.find((f) => f.name === field.by)!, 0)} ${name} ${end}`;

export function endOf(field: StudyField, row: StudyField["ranges"][string][number], end: number): Typed {
  return valueAt(keyOf(field, endKey(field, row.name, end)), end ? row.high : row.low);
}

function asked(field: StudyField): Typed | Typed[] | Record<string, Typed[]> {
  if (field.kind === "flag") return cellOf(field, 0) === true;
  if (field.kind === "choice" || field.kind === "lines") return String(cellOf(field, 0) ?? "");
  if (field.kind === "ranges") return Object.fromEntries(rangesOf(field).map((row) => [row.name, [endOf(field, row, 0), endOf(field, row, 1)]]));
  return field.cells.map((_, i) => cellOf(field, i));
}

export function run(): void {
  const { name, fields } = study.value!;
  const settings = Object.fromEntries(fields.filter(({ kind }) => kind !== "logs").map((field) => [field.name, asked(field)]));
  const rest = { study: name, settings, seed: cellOf(SEED, 0) ?? 0, cores: cores.value, values: known(standIns.value) };
  of.value = drawn.value?.digest ?? "";
  awaited.value = true;
  const form = new FormData();
  form.set("document", JSON.stringify(robot.value));
  form.set("asked", JSON.stringify({ ...rest, recordings: logs.value.map((file) => file.name) }));
  for (const file of logs.value) form.append("logs", file, file.name);
  const recorded = fields.some(({ kind }) => kind === "logs") && logs.value.length > 0;
  void job.start("/api/study", recorded ? form : { document: robot.value, ...rest });
}

if (before.job) void job.rejoin(before.job);
effect(() => {
  const now: Kept = { study: chosen.value, typed: typed.value, cores: cores.value, job: job.id.value || (before.job ?? ""), of: of.value };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // full or forbidden: a reload then begins anew
  }
});
