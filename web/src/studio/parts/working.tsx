// Long work on the screen: what it does now, for how long, Cancel; or why it failed.
import type { JSX } from "preact";
import { t } from "../language";
import type { Job } from "../state/jobs";
import { Act } from "./controls";

export function JobLine({ job }: { job: Job<unknown> }): JSX.Element | null {
  const phase = job.phase.value;
  if (phase === "running") {
    const { text, seconds } = job.line.value;
    return (
      <div class="working" role="status">
        <progress aria-label={t("working")} />
        <span class="said">
          {text} {seconds >= 1 && <span>{seconds.toFixed(0)} s</span>}
        </span>
        <Act onClick={() => job.cancel()}>{t("Cancel")}</Act>
      </div>
    );
  }
  if (phase === "failed")
    return (
      <p class="failed" role="alert">
        <span aria-hidden="true">⚠ </span>
        {job.error.value}
      </p>
    );
  return phase === "cancelled" ? <p role="status">{t("Cancelled.")}</p> : null;
}
