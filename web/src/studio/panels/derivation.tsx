// A model derived step by step: sentences and MathML that the server has made, put in as nodes.
import { signal } from "@preact/signals";
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

type Topic = "pose" | "jacobian" | "dynamics";
type Method = "lagrange" | "newton-euler";

const topic = signal<Topic>("pose");
const method = signal<Method>("lagrange");
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
        <Choice<Topic>
          label={t("Derive")}
          value={topic.value}
          options={[["pose", t("pose")], ["jacobian", t("jacobian")], ["dynamics", t("dynamics")]]}
          onChange={(chosen) => (topic.value = chosen)}
        />
        {topic.value === "dynamics" && (
          <Choice<Method>
            label={t("Method")}
            value={method.value}
            options={[["lagrange", t("Lagrange")], ["newton-euler", t("Newton–Euler")]]}
            onChange={(chosen) => (method.value = chosen)}
          />
        )}
      </div>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
