// The equations of a model as a book prints them, by one method or by two side by side.
import { computed, signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { EquationsAnswer } from "../../shared/api";
import { Answer } from "../formulas/answer";
import { t } from "../language";
import { Act, Choice, Switch } from "../parts/controls";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { start } from "../state/start";
import { answerOf, isOld, useAsking } from "./asking";

type Form = "factored" | "expanded" | "auxiliary";
const FORMS: readonly (readonly [Form, string])[] = [
  ["factored", "factored"],
  ["expanded", "expanded"],
  ["auxiliary", "as it runs (auxiliary)"],
];
const NOT = ""; // no second method
const CHAPTERS: Record<string, string> = {
  kinematics: "Kinematics",
  statics: "Statics",
  dynamics: "Dynamics of the arm",
  identification: "Identification",
  control: "Control",
  registered: "Registered",
};

export const model = signal("inverse_dynamics");
const method = signal("best");
const beside = signal(NOT);
const form = signal<Form>("factored");
const names = signal<"file" | "book">("file");
const symbolic = signal<"auto" | "all">("auto");
const first = new Job<EquationsAnswer>();
const second = new Job<EquationsAnswer>();

const methods = computed(() => ["best", ...(start.value?.methods[model.value] ?? []).filter((m) => m !== "best")]);

function choose(name: string): void {
  model.value = name;
  if (!methods.value.includes(method.value)) method.value = "best";
  if (!methods.value.includes(beside.value)) beside.value = NOT;
}

// two methods differ in what runs, not in the book's form of it
function compare(other: string): void {
  beside.value = other;
  if (other !== NOT) form.value = "auxiliary";
}

export const modelOptions = (): (readonly [string, string])[] =>
  (start.value?.models ?? []).map(({ name }) => [name, t(name.replaceAll("_", " "))] as const);

/** The same by chapter, in the order of the server. */
export function modelGroups(): (readonly [string, (readonly [string, string])[]])[] {
  const chapters = [...new Set((start.value?.models ?? []).map(({ group }) => group))];
  const order = ["kinematics", "statics", "dynamics", "identification", "control"];
  chapters.sort((a, b) => (order.indexOf(a) + 1 || 9) - (order.indexOf(b) + 1 || 9));
  const within = (chapter: string): (readonly [string, string])[] =>
    (start.value?.models ?? []).filter(({ group }) => group === chapter).map(({ name }) => [name, t(name.replaceAll("_", " "))] as const);
  return chapters.map((chapter) => [t(CHAPTERS[chapter] ?? chapter), within(chapter)] as const);
}

function Choices(): JSX.Element {
  const list = methods.value.map((m) => [m, t(m)] as const);
  return (
    <div class="line">
      <Choice label={t("Model")} value={model.value} options={modelOptions()} groups={modelGroups()} onChange={choose} />
      <Choice label={t("Method")} value={method.value} options={list} onChange={(m) => (method.value = m)} />
      <Choice label={t("Compare with")} value={beside.value} options={[[NOT, "–"], ...list]} onChange={compare} />
      <Choice<Form> label={t("Form")} value={form.value} options={FORMS.map(([key, title]) => [key, t(title)] as const)} onChange={(f) => (form.value = f)} />
      <Switch label={t("Numbers as symbols")} on={symbolic.value === "all"} onChange={(on) => (symbolic.value = on ? "all" : "auto")} />
      <Switch label={t("θ and d as in books")} on={names.value === "book"} onChange={(on) => (names.value = on ? "book" : "file")} />
    </div>
  );
}

interface SideProps {
  job: Job<EquationsAnswer>;
  method: Signal<string>;
  most: number;
  alone: boolean;
}

function Side({ job, method: by, most, alone }: SideProps): JSX.Element {
  const wanted = (): object | null =>
    by.value === NOT ? null : { model: model.value, method: by.value, form: form.value, names: names.value, symbolic: symbolic.value };
  useAsking(job, "/api/equations", wanted);
  const answer = answerOf(job);
  return (
    <div class="side">
      <JobLine job={job as Job<unknown>} />
      {job.phase.value === "failed" && form.value !== "auxiliary" && <Act onClick={() => (form.value = "auxiliary")}>{t("Show it as it runs (auxiliary)")}</Act>}
      {answer && <Answer answer={answer} old={isOld(job as Job<unknown>)} most={alone ? 0 : most} />}
    </div>
  );
}

export function EquationsPanel(): JSX.Element {
  const two = beside.value !== NOT;
  const most = Math.max(first.result.value?.count.total ?? 0, second.result.value?.count.total ?? 0);
  return (
    <>
      <Choices />
      {two && <p class="quiet">{t("Both give the same function: each is proved equal to the plain model.")}</p>}
      <div class={two ? "sides two" : "sides"}>
        <Side job={first} method={method} most={most} alone={!two} />
        {two && <Side job={second} method={beside} most={most} alone={false} />}
      </div>
    </>
  );
}
