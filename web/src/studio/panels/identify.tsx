// Parameters from recorded motion: drop logs, see what was found and how well it foretells.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { IdentifyAnswer } from "../../shared/api";
import { fetchFile } from "../dialogs/sharing";
import { t } from "../language";
import { Act } from "../parts/controls";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { stale } from "../state/drawing";
import { Job } from "../state/jobs";
import { open, robot } from "../state/work";

const job = new Job<IdentifyAnswer>();
const logs = signal<File[]>([]);
const validate = signal<File[]>([]);
const over = signal(false);

function ask(): void {
  const form = new FormData();
  form.set("document", JSON.stringify(robot.value));
  for (const file of logs.value) form.append("logs", file, file.name);
  for (const file of validate.value) form.append("validate", file, file.name);
  void job.start("/api/identify", form);
}

function Drop({ label, files }: { label: string; files: typeof logs }): JSX.Element {
  return (
    <label
      class={`drop ${over.value ? "over" : ""}`}
      onDragOver={(e) => {
        e.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => (over.value = false)}
      onDrop={(e) => {
        e.preventDefault();
        over.value = false;
        files.value = [...(e.dataTransfer?.files ?? [])];
      }}
    >
      <span>{label}</span>
      <input type="file" multiple accept=".csv,.npz,.mat,.parquet,.mcap,.bag,.db3,.h5,.txt" onChange={(e) => (files.value = [...(e.currentTarget.files ?? [])])} />
      <span class="quiet">{files.value.map((file) => file.name).join(", ")}</span>
    </label>
  );
}

function Errors({ answer }: { answer: IdentifyAnswer }): JSX.Element {
  const joints = answer.errors[0]?.joints.map((entry) => entry.joint) ?? [];
  return (
    <table class="figures">
      <caption>{t("Error of the torque foretold (%)")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Log")}</th>
          {joints.map((joint) => (
            <th scope="col" key={joint}>
              {joint}
            </th>
          ))}
          <th scope="col">{t("all")}</th>
        </tr>
      </thead>
      <tbody>
        {answer.errors.map((row) => (
          <tr key={row.log}>
            <th scope="row">{row.log}</th>
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

function Found({ answer }: { answer: IdentifyAnswer }): JSX.Element {
  return (
    <table class="figures">
      <caption>{t("Parameters found (SI)")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Parameter")}</th>
          <th scope="col">{t("Value")}</th>
          <th scope="col">σ</th>
          <th scope="col">{t("Unit")}</th>
        </tr>
      </thead>
      <tbody>
        {answer.parameters.map(({ name, value, sigma, unit }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="figure">{value === null ? "–" : Number(value.toPrecision(5))}</td>
            <td class="figure">{sigma === null ? "–" : Number(sigma.toPrecision(2))}</td>
            <td>{unit}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Answer({ answer }: { answer: IdentifyAnswer }): JSX.Element {
  return (
    <div class={job.phase.value === "running" || stale.value ? "old" : ""}>
      <div class="line">
        <Act kind="main" onClick={() => open(answer.document)}>
          {t("Use what was found")}
        </Act>
        <Act onClick={() => fetchFile(answer.report)}>{t("Download the report")}</Act>
        <Handing copies={[[t("Copy"), () => answer.text]]} />
      </div>
      {answer.warnings.map((warning, i) => (
        <p key={i} class="warnings">
          {warning}
        </p>
      ))}
      <p>{answer.consistent ? t("What was found is a body that can exist.") : t("What was found is no body that can exist.")}</p>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("What was found")}>
        <Errors answer={answer} />
        <Found answer={answer} />
      </div>
    </div>
  );
}

export function IdentifyPanel(): JSX.Element {
  return (
    <>
      <p class="quiet">{t("Logs of time, position and torque: columns t, q1…, tau1… in s, rad or m, N·m or N.")}</p>
      <div class="line">
        <Drop label={t("Logs to learn from")} files={logs} />
        <Drop label={t("Logs to test with (optional)")} files={validate} />
      </div>
      <div class="line">
        <Act kind="main" disabled={!logs.value.length || stale.value} onClick={ask}>
          {t("Identify")}
        </Act>
      </div>
      <JobLine job={job as Job<unknown>} />
      {job.result.value && <Answer answer={job.result.value} />}
    </>
  );
}
