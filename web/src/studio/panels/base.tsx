// Base parameters: the combinations of masses and inertias that motion and torque can tell.
import type { JSX } from "preact";
import type { BaseAnswer } from "../../shared/api";
import { rounded } from "../../shared/digits";
import { breakable } from "../../shared/lines";
import { t } from "../language";
import { Formula } from "../parts/formula";
import { Handing } from "../parts/handing";
import { Proof } from "../parts/proof";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";

const job = new Job<BaseAnswer>();

const text = (answer: BaseAnswer): string => answer.rows.map((row) => row.text).join("\n") + "\n";
const tex = (answer: BaseAnswer): string => `\\begin{aligned}\n${answer.rows.map((row) => row.tex).join(" \\\\\n")}\n\\end{aligned}\n`;

function Answer({ answer }: { answer: BaseAnswer }): JSX.Element {
  const valued = answer.rows.some((row) => row.value !== null);
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <p>
        <strong>{t("{0} of {1} parameters are identifiable from motion and torque.", answer.count, answer.standard)}</strong>
      </p>
      <Proof {...answer} />
      <Handing
        copies={[[t("Copy LaTeX"), () => tex(answer)], [t("Copy text"), () => text(answer)]]}
        files={[[t("Download"), `${robot.value.name || "arm"}_base.tex`, () => tex(answer)]]}
      />
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Base parameters")}>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">{t("Parameter")}</th>
              <th scope="col">{t("Combination")}</th>
              {valued && <th scope="col" class="figure">{t("Value (SI)")}</th>}
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                <td>
                  <Formula tex={breakable(row.tex.replace(/&/g, ""))} />
                </td>
                {valued && <td class="figure">{row.value === null ? "–" : Number(row.value.toPrecision(6))}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {answer.rows.some((row) => rounded(row.tex) !== row.tex) && <p class="quiet">{t("Numbers are shown to six digits; copies and files have all of them.")}</p>}
      {Object.entries(answer.classes).map(([kind, names]) => (
        <p key={kind} class="quiet">
          {t(kind)}: {names.join(", ") || "–"}
        </p>
      ))}
    </div>
  );
}

export function BasePanel(): JSX.Element {
  useAsking(job, "/api/base", () => ({}));
  const answer = answerOf(job);
  return (
    <>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
