// Parameters from recorded motion: drop logs, see what was found and how well it predicts.
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { IdentifyAnswer } from "../../shared/api";
import { t } from "../language";
import { Act } from "../parts/controls";
import { JobLine } from "../parts/working";
import { stale } from "../state/drawing";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, ask } from "./asking";
import { Identified } from "./identified";

const job = new Job<IdentifyAnswer>();
const logs = signal<File[]>([]);
const validate = signal<File[]>([]);

function learn(): void {
  const form = new FormData();
  form.set("document", JSON.stringify(robot.value));
  for (const file of logs.value) form.append("logs", file, file.name);
  for (const file of validate.value) form.append("validate", file, file.name);
  ask(job, "/api/identify", form);
}

/** The recording that comes along, of a PUMA 560, whatever robot is open. */
function trySample(): void {
  const form = new FormData();
  form.set("document", JSON.stringify(robot.value));
  form.set("asked", JSON.stringify({ document: robot.value, sample: true }));
  ask(job, "/api/identify", form);
}

function Drop({ label, files }: { label: string; files: typeof logs }): JSX.Element {
  const over = useSignal(false);
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
      <span class="act file" aria-hidden="true">
        {t("Choose files…")}
      </span>
      <input type="file" class="unseen" multiple accept=".csv,.npz,.mat,.parquet,.mcap,.bag,.db3,.h5,.txt" onChange={(e) => (files.value = [...(e.currentTarget.files ?? [])])} />
      <span class="quiet">{files.value.map((file) => file.name).join(", ") || t("none chosen; they can be dropped here")}</span>
    </label>
  );
}

export function IdentifyPanel(): JSX.Element {
  const answer = answerOf(job);
  return (
    <>
      <p class="quiet">{t("Logs of time, position and torque: columns t, q1…, tau1… in s, rad or m, N·m or N.")}</p>
      <div class="line">
        <Drop label={t("Logs to learn from")} files={logs} />
        <Drop label={t("Logs to test with (optional)")} files={validate} />
      </div>
      <div class="line">
        <Act kind="main" disabled={!logs.value.length || stale.value} onClick={learn}>
          {t("Identify")}
        </Act>
        <Act disabled={stale.value} onClick={trySample}>
          {t("Try a sample recording (PUMA 560)")}
        </Act>
      </div>
      <JobLine job={job as Job<unknown>} />
      {answer && <Identified answer={answer} old={job.phase.value === "running" || stale.value} />}
    </>
  );
}
