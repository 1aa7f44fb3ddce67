// One file for others: the whole report, or an exercise with some panels hidden.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { FileLink } from "../../shared/api";
import { t } from "../language";
import { Act, Switch } from "../parts/controls";
import { Dialog } from "../parts/dialog";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { dressing } from "../state/looks";
import { robot } from "../state/work";
import { shut } from "./which";

const PANELS = ["table", "equations", "inverse", "steps", "counts", "check", "base", "motion", "code"] as const;
const TITLES: Record<string, string> = {
  table: "Table",
  equations: "Equations",
  inverse: "Inverse kinematics",
  steps: "Step by step",
  counts: "Counts",
  check: "Check",
  base: "Base parameters",
  motion: "Dynamics",
  code: "Code",
};
const hidden = signal<readonly string[]>([]);
const job = new Job<FileLink>();

async function make(): Promise<void> {
  const answer = await job.start("/api/report", { document: robot.value, hidden: hidden.value, ...dressing() });
  if (answer) fetchFile(answer.url);
}

/** The server's file, saved by the browser under its own name. */
export function fetchFile(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = url.split("/").at(-1) ?? "";
  document.body.append(link);
  link.click();
  link.remove();
}

export function ShareDialog(): JSX.Element {
  const toggle = (panel: string, on: boolean): void =>
    void (hidden.value = on ? hidden.value.filter((p) => p !== panel) : [...hidden.value, panel]);
  return (
    <Dialog title={t("Share")} onClose={shut}>
      <p>{t("One HTML file that works without Python and without a network: the arm moves, equations are typeset. Hide panels to hand it out as an exercise; the page checks the answer.")}</p>
      <fieldset class="switches">
        <legend>{t("Panels in the file")}</legend>
        {PANELS.map((panel) => (
          <Switch key={panel} label={t(TITLES[panel]!)} on={!hidden.value.includes(panel)} onChange={(on) => toggle(panel, on)} />
        ))}
      </fieldset>
      <JobLine job={job} />
      <footer>
        <Act kind="main" disabled={job.phase.value === "running"} onClick={() => void make()}>
          {hidden.value.length ? t("Make the exercise") : t("Make the report")}
        </Act>
      </footer>
    </Dialog>
  );
}
