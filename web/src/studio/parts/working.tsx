// Long work on the screen: what it does now, for how long, Cancel; or why it failed.
import type { JSX } from "preact";
import type { Figures } from "../../shared/api";
import { t } from "../language";
import { stale } from "../state/drawing";
import type { Job } from "../state/jobs";
import { Act } from "./controls";

function told({ done, count, rate, failed, left }: Figures): string {
  const said = t("{0} of {1} cases, {2} a second, {3} failed", done, count, Number(rate.toPrecision(3)), failed);
  return left === null || done === count ? said : `${said}, ${t("{0} s left", Math.ceil(left))}`;
}

// "inverse_dynamics: proof": a model and what is done with it
const step = (text: string): string => text.split(": ").map((part) => t(part.replaceAll("_", " "))).join(": ");

export function JobLine({ job }: { job: Job<unknown> }): JSX.Element | null {
  const phase = job.phase.value;
  if (phase === "running") {
    const { text, seconds, figures } = job.line.value;
    return (
      <div class="working" role="status">
        <progress aria-label={t("working")} {...(figures ? { value: figures.done, max: figures.count } : {})} />
        <span class="said">
          {figures ? told(figures) : step(text)} {seconds >= 1 && <span>{seconds.toFixed(0)} s</span>}
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
  if (phase === "idle" && stale.value) return <p class="quiet">{t("Waits for a table without errors.")}</p>;
  return phase === "cancelled" ? <p role="status">{t("Cancelled.")}</p> : null;
}
