// The equations of a model as a book prints them; pointing at a term shows what it is about and what it is worth.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { EquationsAnswer } from "../../shared/api";
import { TermsOf } from "../formulas/line";
import { counted, t } from "../language";
import { Choice, Switch } from "../parts/controls";
import { Formula } from "../parts/formula";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { stale } from "../state/drawing";
import { Job } from "../state/jobs";
import { start } from "../state/start";
import { robot } from "../state/work";
import { useAsking } from "./asking";

type Form = "factored" | "expanded" | "auxiliary";
const FORMS: readonly (readonly [Form, string])[] = [
  ["factored", "factored"],
  ["expanded", "expanded"],
  ["auxiliary", "as it runs"],
];

export const model = signal("inverse_dynamics");
const method = signal("best");
const form = signal<Form>("factored");
const names = signal<"file" | "book">("file");
const intermediates = signal(true);
const SHOWN_AT_ONCE = 60;
const shownLines = signal(SHOWN_AT_ONCE);
const job = new Job<EquationsAnswer>();

const methods = computed(() => ["best", ...(start.value?.methods[model.value] ?? []).filter((m) => m !== "best")]);

function choose(name: string): void {
  model.value = name;
  shownLines.value = SHOWN_AT_ONCE;
  if (!methods.value.includes(method.value)) method.value = "best";
}

export const modelOptions = (): (readonly [string, string])[] =>
  (start.value?.models ?? []).map(({ name }) => [name, name.replaceAll("_", " ")] as const);

function Choices(): JSX.Element {
  return (
    <div class="line">
      <Choice label={t("Model")} value={model.value} options={modelOptions()} onChange={choose} />
      <Choice label={t("Method")} value={method.value} options={methods.value.map((m) => [m, t(m)] as const)} onChange={(m) => (method.value = m)} />
      <Choice<Form> label={t("Form")} value={form.value} options={FORMS.map(([key, title]) => [key, t(title)] as const)} onChange={(f) => (form.value = f)} />
      <Switch label={t("θ and d as in books")} on={names.value === "book"} onChange={(on) => (names.value = on ? "book" : "file")} />
    </div>
  );
}

const tex = (answer: EquationsAnswer): string => `\\begin{aligned}\n${answer.latex.map((line) => line.tex).join(" \\\\\n")}\n\\end{aligned}\n`;

function Legend({ answer }: { answer: EquationsAnswer }): JSX.Element | null {
  if (!answer.legend.length) return null;
  return (
    <p class="legend">
      {t("with")}{" "}
      {answer.legend.map(({ name, tex: symbol }) => (
        <span key={name} class="legend-entry">
          <Formula tex={symbol} />
        </span>
      ))}
    </p>
  );
}

function Lines({ answer }: { answer: EquationsAnswer }): JSX.Element {
  const from = intermediates.value ? 0 : answer.intermediates;
  const lines = answer.latex.slice(from);
  const visible = lines.slice(0, shownLines.value);
  return (
    <>
      {answer.intermediates > 0 && (
        <Switch label={counted("{0} intermediate", "{0} intermediates", answer.intermediates)} on={intermediates.value} onChange={(on) => (intermediates.value = on)} />
      )}
      <ol class="equations">
        {visible.map((line, i) => (
          <li key={`${line.name} ${i}`}>
            <TermsOf answer={answer} line={from + i} />
          </li>
        ))}
      </ol>
      {lines.length > visible.length && (
        <button type="button" class="act plain" onClick={() => (shownLines.value += 4 * SHOWN_AT_ONCE)}>
          {t("{0} more lines", lines.length - visible.length)}
        </button>
      )}
    </>
  );
}

function Answer({ answer }: { answer: EquationsAnswer }): JSX.Element {
  const name = `${robot.value.name || "arm"}_${answer.model}`;
  const { mul, add, trig } = answer.count;
  return (
    <div class={job.phase.value === "running" || stale.value ? "old" : ""}>
      <Handing
        copies={[[t("Copy LaTeX"), () => tex(answer)], [t("Copy text"), () => answer.text]]}
        files={[[t("Download LaTeX"), `${name}.tex`, () => tex(answer)]]}
      />
      <Lines answer={answer} />
      <Legend answer={answer} />
      <p class="quiet">
        {t("What runs: {0} multiplications, {1} additions, {2} sines and cosines. {3}", mul, add, trig, answer.proof)}
      </p>
      {answer.conditions.length > 0 && <p class="quiet">{t("Holds where {0}.", answer.conditions.join(", "))}</p>}
    </div>
  );
}

export function EquationsPanel(): JSX.Element {
  useAsking(job, "/api/equations", () => ({ model: model.value, method: method.value, form: form.value, names: names.value }));
  const answer = job.result.value;
  return (
    <>
      <Choices />
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
