// The laws that the models were held to: proved in a finite field, or measured.
import type { JSX } from "preact";
import type { CheckAnswer } from "../../shared/api";
import { t } from "../language";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";

const job = new Job<CheckAnswer>();
type Verdict = CheckAnswer["verdicts"][number];

const sign = (verdict: Verdict): string => (!verdict.checked ? "·" : verdict.how === "noted" ? "⚠" : verdict.passed ? "✓" : "✗");
const word = (verdict: Verdict): string => (!verdict.checked ? t("not asked") : verdict.passed ? t(verdict.how) : t("FAILED"));
const text = (answer: CheckAnswer): string => answer.verdicts.map((v) => `${sign(v)} ${v.sentence} (${v.how}) ${v.detail}`.trim()).join("\n") + "\n";

function Row({ verdict }: { verdict: Verdict }): JSX.Element {
  return (
    <tr class={!verdict.checked ? "unasked" : verdict.passed ? "passed" : "failed"}>
      <td class="sign">
        <span aria-hidden="true">{sign(verdict)}</span>
      </td>
      <th scope="row">{verdict.sentence}</th>
      <td>{word(verdict)}</td>
      <td class="quiet">{verdict.detail || (verdict.name.includes("≡") ? verdict.name : "")}</td>
    </tr>
  );
}

export function CheckPanel(): JSX.Element {
  useAsking(job, "/api/check", () => ({}));
  const answer = answerOf(job);
  return (
    <>
      <JobLine job={job as Job<unknown>} />
      {answer && (
        <div class={isOld(job as Job<unknown>) ? "old" : ""}>
          <div class="line">
            <strong>{answer.passed ? t("Every law holds.") : t("A law does not hold.")}</strong>
            <Handing copies={[[t("Copy"), () => text(answer)]]} files={[[t("Download"), `${robot.value.name || "arm"}_check.txt`, () => text(answer)]]} />
          </div>
          <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Laws")}>
            <table class="figures laws">
              <thead>
                <tr>
                  <td />
                  <th scope="col">{t("Law")}</th>
                  <th scope="col">{t("State")}</th>
                  <th scope="col">{t("Detail")}</th>
                </tr>
              </thead>
              <tbody>
                {answer.verdicts.map((verdict, i) => (
                  <Row key={i} verdict={verdict} />
                ))}
              </tbody>
            </table>
          </div>
        </div>
      )}
    </>
  );
}
