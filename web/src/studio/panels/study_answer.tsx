// What came of a study: its pictures and tables, the numbers in short, how they are spread, what failed, files.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { StudyAnswer } from "../../shared/api";
import type { Lines } from "../../shared/plot";
import { fetchFile } from "../dialogs/sharing";
import { counted, language, t } from "../language";
import { Act, Choice } from "../parts/controls";
import { Plot } from "../parts/plot";
import { stale } from "../state/drawing";
import { StandIns } from "./dynamics";
import { another, awaited, job } from "./study_asked";

const result = signal("");

const unitOf = (answer: StudyAnswer, name: string): string => answer.columns.find((column) => column.name === name)?.unit ?? "";
const named = (answer: StudyAnswer, name: string): string => {
  const unit = unitOf(answer, name);
  return unit && unit !== "1" ? `${name} (${unit})` : name;
};

function Files({ files }: Pick<StudyAnswer, "files">): JSX.Element {
  return (
    <div class="handing">
      <Act hint={t("manipula study FILE.toml gives the same, byte for byte")} onClick={() => fetchFile(files.toml)}>
        {t("Download the study file")}
      </Act>
      {files.csv && <Act onClick={() => fetchFile(files.csv!)}>{t("Download CSV")}</Act>}
      <Act onClick={() => fetchFile(files.npz)}>{t("Download npz")}</Act>
      <Act onClick={() => fetchFile(files.html)}>{t("Download the page")}</Act>
    </div>
  );
}

function Numbers({ answer }: { answer: StudyAnswer }): JSX.Element | null {
  if (!answer.rows.length) return null;
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Results")}>
      <table class="figures results">
        <caption>{t("Results, over all cases that did not fail")}</caption>
        <thead>
          <tr>
            {answer.heads.map((head, i) => (
              <th scope="col" key={head} class={i ? "figure" : ""}>
                {t(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.rows.map(([name = "", ...figures]) => (
            <tr key={name}>
              <th scope="row">
                {named(answer, name)}
                <div class="quiet">{t(answer.columns.find((column) => column.name === name)?.about ?? "")}</div>
              </th>
              {figures.map((figure, i) => (
                <td class="figure" key={i}>
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Spread({ answer }: { answer: StudyAnswer }): JSX.Element | null {
  const curve = answer.curves.find(({ name }) => name === result.value) ?? answer.curves[0];
  const lines = useMemo<Lines | null>(
    () => curve && { x: curve.x, series: [curve.share], labels: [t("share of cases")], units: { x: named(answer, curve.name), y: t("share of cases") }, title: t("Cases at or below a value of {0}", curve.name) },
    [answer, curve],
  );
  if (!curve || !lines) return null;
  return (
    <figure>
      <figcaption>{t("How a result is spread")}</figcaption>
      <Choice label={t("Result")} value={curve.name} options={answer.curves.map(({ name }) => [name, name] as const)} onChange={(name) => (result.value = name)} />
      <Plot lines={lines} height={180} />
    </figure>
  );
}

function Failures({ answer }: { answer: StudyAnswer }): JSX.Element | null {
  if (!answer.failures.length) return null;
  return (
    <table class="figures">
      <caption>{t("Cases that failed")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Why")}</th>
          <th scope="col" class="figure">{t("cases")}</th>
          <th scope="col" class="figure">{t("the first")}</th>
        </tr>
      </thead>
      <tbody>
        {answer.failures.map(({ why, cases, first }) => (
          <tr key={why}>
            <td>{why}</td>
            <td class="figure">{cases}</td>
            <td class="figure">{first}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const AT = /^(.+) at ([xyz] = .+)$/; // a cut through a map

/** A word of a picture in the page's language; names and numbers stay. */
function inPicture(text: string): string {
  const cut = AT.exec(text);
  return cut ? t("{0} at {1}", t(cut[1]!), cut[2]!) : t(text);
}

// made by our own server of numbers and escaped names; the page's policy runs no script in it
function Shown({ parts }: { parts: string[] }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = host.current;
    if (!place) return;
    place.innerHTML = parts.join("\n");
    for (const item of place.querySelectorAll("h2, h3, caption, th, svg text")) if (!item.childElementCount) item.textContent = inPicture(item.textContent ?? "");
    for (const item of place.querySelectorAll("[aria-label]")) item.setAttribute("aria-label", inPicture(item.getAttribute("aria-label") ?? ""));
  }, [parts]);
  return <div class="shown scroll-x" tabIndex={0} role="region" aria-label={t("Pictures and tables")} ref={host} />;
}

// "workspace of puma560", in the page's language
function titled({ title, study }: StudyAnswer): string {
  const of = `${study} of `;
  return title.startsWith(of) ? t("{0} of {1}", t(study), title.slice(of.length)) : title;
}

export function Answer({ answer }: { answer: StudyAnswer }): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (awaited.value && job.phase.value === "done") head.current?.scrollIntoView({ block: "start" });
    awaited.value = awaited.value && job.phase.value === "running";
  }, [answer]);
  const old = job.phase.value === "running" || stale.value || another.value;
  return (
    <div class={old ? "old" : ""}>
      <h2 ref={head}>
        {titled(answer)}: {counted("{0} case", "{0} cases", answer.count)}
        {answer.failed > 0 && `, ${t("{0} failed", answer.failed)}`}
      </h2>
      {another.value && <p class="quiet">{t("Of the arm as it was then.")}</p>}
      <Files files={answer.files} />
      {answer.study === "bootstrap" && <p class="quiet">{t("The recordings go beside the study file.")}</p>}
      {answer.warnings.map((warning, i) => (
        <p key={i} class="warnings">
          {warning.message}
        </p>
      ))}
      {answer.parts.length > 0 && <Shown key={language.value} parts={answer.parts} />}
      <Numbers answer={answer} />
      <Spread answer={answer} />
      <Failures answer={answer} />
      <StandIns values={answer.stand_ins} />
    </div>
  );
}
