// What recordings show: errors of prediction, torques and residuals, parameters with their standard deviations.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { IdentifyAnswer } from "../../shared/api";
import type { Lines } from "../../shared/plot";
import { fetchFile } from "../dialogs/sharing";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { Handing } from "../parts/handing";
import { Plot } from "../parts/plot";
import { edit, robot } from "../state/work";

type Course = IdentifyAnswer["courses"][number];
type Parameter = IdentifyAnswer["parameters"][number];

const log = signal("0"); // whose torques are shown: a number in `courses`

const nameOf = (name: string): string => (name === "training" ? t("learnt from") : name);
const figure = (value: number | null, digits: number): string => (value === null ? "–" : String(Number(value.toPrecision(digits))));

function Errors({ answer }: { answer: IdentifyAnswer }): JSX.Element {
  const joints = answer.errors[0]?.joints.map((entry) => entry.joint) ?? [];
  return (
    <table class="figures">
      <caption>{t("Error of the predicted torque (%)")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Log")}</th>
          {joints.map((joint) => (
            <th scope="col" class="figure" key={joint}>
              {joint}
            </th>
          ))}
          <th scope="col" class="figure">
            {t("all")}
          </th>
        </tr>
      </thead>
      <tbody>
        {answer.errors.map((row, i) => (
          <tr key={i}>
            <th scope="row">{nameOf(row.log)}</th>
            {row.joints.map((entry) => (
              <td class="figure" key={entry.joint}>
                {entry.percent.toFixed(2)}
              </td>
            ))}
            <td class="figure">{row.percent.toFixed(2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function plotsOf({ joint, unit, t: x, measured, predicted }: Course["joints"][number]): [torque: Lines, rest: Lines] {
  const torque = {
    x, series: [measured, predicted], labels: [t("measured"), t("predicted")], dashed: [false, true],
    units: { x: "t (s)", y: `τ (${unit})` }, title: t("{0}: measured and predicted torque", joint),
  }; // prettier-ignore
  const rest = {
    x, series: [measured.map((value, k) => value - predicted[k]!)], labels: [t("residual")], colours: [2],
    units: { x: "t (s)", y: `Δτ (${unit})` }, title: t("{0}: residual", joint),
  }; // prettier-ignore
  return [torque, rest];
}

function Torques({ courses }: { courses: IdentifyAnswer["courses"] }): JSX.Element {
  const course = courses[Number(log.value)] ?? courses[0]!;
  const plots = useMemo(() => course.joints.map(plotsOf), [course]);
  return (
    <>
      {courses.length > 1 && (
        <div class="line">
          <Choice label={t("Torques of")} value={log.value} options={courses.map((entry, i) => [String(i), nameOf(entry.log)] as const)} onChange={(value) => (log.value = value)} />
        </div>
      )}
      {plots.map(([torque, rest]) => (
        <figure key={torque.title}>
          <figcaption>{torque.title}</figcaption>
          <Plot lines={torque} height={190} />
          <figcaption>{rest.title}</figcaption>
          <Plot lines={rest} height={170} />
        </figure>
      ))}
    </>
  );
}

// worse known than to its own size
const unsure = ({ value, sigma }: Parameter): boolean => value === null || sigma === null || sigma > Math.abs(value);

function Found({ parameters }: { parameters: Parameter[] }): JSX.Element {
  const known = parameters.filter((entry) => !unsure(entry)).length;
  return (
    <>
      <table class="figures">
        <caption>{t("Parameters found (SI)")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Parameter")}</th>
            <th scope="col" class="figure">
              {t("Value")}
            </th>
            <th scope="col" class="figure">
              ± σ
            </th>
            <th scope="col">{t("Unit")}</th>
            <th scope="col" class="figure">
              {t("Believed before")}
            </th>
          </tr>
        </thead>
        <tbody>
          {parameters.map((entry) => (
            <tr key={entry.name} class={unsure(entry) ? "refused" : ""}>
              <th scope="row">{entry.name}</th>
              <td class="figure">{figure(entry.value, 5)}</td>
              <td class="figure">{figure(entry.sigma, 2)}</td>
              <td>{entry.unit}</td>
              <td class="figure">{figure(entry.prior, 4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">{t("{0} of {1} are known better than to their own size; the others, in grey, motion and torque tell little of.", known, parameters.length)}</p>
    </>
  );
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const csv = ({ parameters }: IdentifyAnswer): string =>
  `parameter,value,sigma,unit,prior\n${parameters.map((p) => [quoted(p.name), p.value ?? "", p.sigma ?? "", p.unit, p.prior ?? ""].join(",")).join("\n")}\n`;

export function Identified({ answer, old }: { answer: IdentifyAnswer; old: boolean }): JSX.Element {
  return (
    <div class={old ? "old" : ""}>
      <div class="line">
        <Act kind="main" onClick={() => edit(() => answer.document)}>
          {t("Use what was found")}
        </Act>
        <Act onClick={() => fetchFile(answer.report)}>{t("Download the report")}</Act>
        <Handing copies={[[t("Copy"), () => answer.text]]} files={[[t("Download CSV"), `${robot.value.name || "arm"}_parameters.csv`, () => csv(answer)]]} />
      </div>
      {answer.warnings.map((warning, i) => (
        <p key={i} class="warnings">
          {warning}
        </p>
      ))}
      <p>{answer.consistent ? t("What was found is a body that can exist.") : t("What was found is no body that can exist.")}</p>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Error of the predicted torque (%)")}>
        <Errors answer={answer} />
      </div>
      <Torques courses={answer.courses} />
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("What was found")}>
        <Found parameters={answer.parameters} />
      </div>
    </div>
  );
}
