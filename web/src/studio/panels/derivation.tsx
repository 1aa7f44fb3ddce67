// A model derived step by step: sentences and MathML that the server has made, put in as nodes.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ChainStep, DerivationAnswer } from "../../shared/api";
import { t } from "../language";
import { Choice } from "../parts/controls";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";

type Topic = "pose" | "jacobian" | "ik" | "singularities" | "dynamics";
type Method = readonly [name: string, title: string];

const TOPICS: readonly (readonly [Topic, string])[] = [
  ["pose", "pose"],
  ["jacobian", "jacobian"],
  ["ik", "inverse kinematics"],
  ["singularities", "singular configurations"],
  ["dynamics", "dynamics"],
];
// the first is the usual one
const METHODS: Partial<Record<Topic, readonly Method[]>> = {
  pose: [["transforms", "transforms of the joints"], ["screws", "screw axes"]],
  dynamics: [["lagrange", "Lagrange"], ["newton-euler", "Newton–Euler"]],
};

const topic = signal<Topic>("pose");
const chosen = signal("");
const methods = computed(() => METHODS[topic.value] ?? []);
const method = computed(() => (methods.value.find(([name]) => name === chosen.value) ?? methods.value[0] ?? [""])[0]);
const job = new Job<DerivationAnswer>();

/** The server escapes what a user wrote; the page lets no script of it run, too. */
function Set({ html, inline }: { html: string; inline?: boolean }): JSX.Element {
  const host = useRef<HTMLDivElement & HTMLSpanElement>(null);
  useEffect(() => {
    const page = new DOMParser().parseFromString(html, "text/html");
    host.current?.replaceChildren(...page.body.childNodes);
  }, [html]);
  return inline ? <span ref={host} /> : <div ref={host} />;
}

function Step({ step }: { step: ChainStep }): JSX.Element {
  return (
    <details open={!step.folded}>
      <summary>
        {step.number}. <Set html={step.title} inline />
      </summary>
      {step.says.map((text) => (
        <p key={text}>
          <Set html={text} inline />
        </p>
      ))}
      {step.equations.map((html, i) => (
        <Set key={i} html={html} />
      ))}
      {step.remarks.map((text) => (
        <p key={text} class="quiet">
          <Set html={text} inline />
        </p>
      ))}
      {step.steps.map((below) => (
        <Step key={below.number} step={below} />
      ))}
    </details>
  );
}

function Answer({ answer }: { answer: DerivationAnswer }): JSX.Element {
  return (
    <div class={`steps ${isOld(job as Job<unknown>) ? "old" : ""}`}>
      <Handing
        copies={[[t("Copy LaTeX"), () => answer.latex], [t("Copy text"), () => answer.text]]}
        files={[[t("Download LaTeX"), `${robot.value.name || "arm"}_${answer.topic}.tex`, () => answer.latex]]}
      />
      {answer.says.map((text) => (
        <p key={text}>
          <Set html={text} inline />
        </p>
      ))}
      {answer.steps.map((step) => (
        <Step key={step.number} step={step} />
      ))}
      {answer.legend.length > 0 && (
        <p class="legend">
          {answer.legend.map((html) => (
            <span key={html} class="legend-entry">
              <Set html={html} inline />
            </span>
          ))}
        </p>
      )}
      {answer.proof && <p class="quiet">{answer.proof}</p>}
    </div>
  );
}

export function DerivationPanel(): JSX.Element {
  useAsking(job, "/api/derivation", () => ({ topic: topic.value, method: method.value }));
  const answer = answerOf(job);
  return (
    <>
      <div class="line">
        <Choice<Topic> label={t("Derive")} value={topic.value} options={TOPICS.map(([name, title]) => [name, t(title)] as const)} onChange={(name) => (topic.value = name)} />
        {methods.value.length > 0 && (
          <Choice label={t("Method")} value={method.value} options={methods.value.map(([name, title]) => [name, t(title)] as const)} onChange={(name) => (chosen.value = name)} />
        )}
      </div>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
