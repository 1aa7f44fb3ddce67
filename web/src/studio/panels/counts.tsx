// Operations by method as bars, published counts beside them.
import type { JSX } from "preact";
import { signal } from "@preact/signals";
import type { CountsAnswer } from "../../shared/api";
import { t } from "../language";
import { Bar } from "../parts/bar";
import { Handing } from "../parts/handing";
import { Choice } from "../parts/controls";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";

type Row = CountsAnswer["rows"][number];
const job = new Job<CountsAnswer>();
const chosen = signal("inverse_dynamics");

function Published({ list, most }: { list: CountsAnswer["published"]; most: number }): JSX.Element[] {
  return list.map((entry) => (
    <tr key={`${entry.source}${entry.method}${entry.robot}`} class="published">
      <th scope="row" title={entry.source}>
        {entry.method} · {entry.source}
      </th>
      <td class="bar-cell">
        <Bar mul={entry.total} add={0} most={most} />
      </td>
      <td colSpan={3}>{t("published")}</td>
      <td class="figure">{entry.total}</td>
    </tr>
  ));
}

function Bars({ answer, rows }: { answer: CountsAnswer; rows: Row[] }): JSX.Element {
  const published = answer.published.filter((entry) => entry.model === chosen.value);
  const most = Math.max(1, ...rows.map((row) => row.total), ...published.map((entry) => entry.total));
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Operations by method")}>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{t("Method")}</th>
            <th scope="col" class="bar-cell">
              <span class="long-head">{t("multiplications, additions")}</span>
            </th>
            <th scope="col" class="figure">×</th>
            <th scope="col" class="figure">+</th>
            <th scope="col" class="figure">sin, cos</th>
            <th scope="col" class="figure">{t("Total")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.method}>
              <th scope="row">{t(row.method)}</th>
              <td class="bar-cell">
                <Bar mul={row.mul} add={row.total - row.mul} most={most} />
              </td>
              <td class="figure">{row.mul}</td>
              <td class="figure">{row.add}</td>
              <td class="figure">{row.trig}</td>
              <td class="figure">{row.total}</td>
            </tr>
          ))}
          <Published list={published} most={most} />
        </tbody>
      </table>
    </div>
  );
}

const csv = (rows: Row[]): string =>
  ["model,method,mul,add,trig,total", ...rows.map((r) => [r.model, r.method, r.mul, r.add, r.trig, r.total].join(","))].join("\n") + "\n";

function Answer({ answer }: { answer: CountsAnswer }): JSX.Element {
  const models = [...new Set(answer.rows.map((row) => row.model))];
  const model = models.includes(chosen.value) ? chosen.value : (models[0] ?? "");
  const rows = answer.rows.filter((row) => row.model === model);
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <div class="line">
        <Choice label={t("Model")} value={model} options={models.map((m) => [m, t(m.replaceAll("_", " "))] as const)} onChange={(m) => (chosen.value = m)} />
        <Handing copies={[[t("Copy"), () => csv(answer.rows)]]} files={[[t("Download"), `${robot.value.name || "arm"}_counts.csv`, () => csv(answer.rows)]]} />
      </div>
      <Bars answer={answer} rows={rows} />
      <p class="quiet">{t("Counts before optimisation; Equations and Code show the optimised ones.")} {t("All methods are proved to give the same function. A product or a square is one multiplication, a sum or difference one addition; a change of sign is free.")}</p>
    </div>
  );
}

export function CountsPanel(): JSX.Element {
  useAsking(job, "/api/counts", () => ({}));
  const answer = answerOf(job);
  return (
    <>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
