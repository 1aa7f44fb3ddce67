// A seam: poses followed as a whole with the fewest jumps, and why there are any.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { SeamAnswer } from "../../shared/api";
import type { Lines } from "../../shared/plot";
import { t } from "../language";
import { Act, Choice, Switch } from "../parts/controls";
import { Handing } from "../parts/handing";
import { columnsOf, Plot } from "../parts/plot";
import { JobLine } from "../parts/working";
import { q } from "../state/arm";
import { known, stale, standIns } from "../state/drawing";
import { Job } from "../state/jobs";
import { robot } from "../state/work";
import { answerOf, ask, isOld } from "./asking";
import { PlayActs, StandIns, unitsOf } from "./dynamics";
import { from, motion, to } from "./motion";

const SECONDS = 5; // of playing it
type Cost = "travel" | "margin";
const job = new Job<SeamAnswer>();
const table = signal("");
const maxStep = signal(0.3);
const spin = signal(false);
const here = signal(false);
const cost = signal<Cost>("travel");

function follow(): void {
  const begin = here.value ? { start: [...q.value] } : {};
  ask(job, "/api/seam", {
    document: robot.value, values: known(standIns.value), table: table.value, motion: motion(), max_step: maxStep.value, free: spin.value ? "spin" : "", cost: cost.value, ...begin,
  });
}

const joints = (answer: SeamAnswer): Lines => ({
  x: answer.poses, series: columnsOf(answer.q), labels: answer.joints.map((_, i) => `q${i + 1}`), units: { x: t("pose"), y: `q (${unitsOf(answer.units.q)})` }, title: t("Joints along the seam"),
});

function Answer({ answer }: { answer: SeamAnswer }): JSX.Element {
  const lines = useMemo(() => joints(answer), [answer]);
  const times = answer.poses.map((_, i) => (SECONDS * i) / Math.max(1, answer.poses.length - 1));
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <p role="status">{answer.text}</p>
      <ul>
        {answer.reasons.map(({ kind, first, last, text }) => (
          <li key={`${kind} ${first}`}>
            {first === last ? t("Pose {0}", first) : t("Poses {0} to {1}", first, last)}: {text}
          </li>
        ))}
      </ul>
      <div class="line">
        {answer.poses.length > 1 && <PlayActs t={times} q={answer.q} />}
        <Handing copies={[[t("Copy"), () => answer.csv]]} files={[[t("Download CSV"), `${robot.value.name || "arm"}_seam.csv`, () => answer.csv]]} />
      </div>
      {answer.poses.length > 1 && (
        <figure>
          <figcaption>{lines.title}</figcaption>
          <Plot lines={lines} />
        </figure>
      )}
      <StandIns values={answer.stand_ins} />
    </div>
  );
}

async function read(file: File | undefined): Promise<void> {
  if (file) table.value = await file.text();
}

export function SeamPart(): JSX.Element {
  const answer = answerOf(job);
  return (
    <details>
      <summary>{t("Follow a seam")}</summary>
      <p class="quiet">{t("A table of poses: x [mm], y [mm], z [mm], roll [deg], pitch [deg], yaw [deg]. Without one: the straight line from start to end.")}</p>
      <label class="field">
        <span>{t("Poses (CSV)")}</span>
        <textarea rows={4} spellcheck={false} value={table.value} onInput={(e) => (table.value = e.currentTarget.value)} />
      </label>
      <div class="line">
        <input type="file" accept=".csv,.txt" aria-label={t("Poses (CSV)")} onChange={(e) => void read(e.currentTarget.files?.[0])} />
        <Act onClick={() => (from.value = [...q.value])}>{t("Start here")}</Act>
        <Act onClick={() => (to.value = [...q.value])}>{t("End here")}</Act>
      </div>
      <div class="line">
        <label class="choice">
          <span>{t("Longest step (rad, m)")}</span>
          <input type="number" min={0.001} max={3} step={0.05} value={maxStep.value} onChange={(e) => e.currentTarget.valueAsNumber > 0 && (maxStep.value = e.currentTarget.valueAsNumber)} />
        </label>
        <Choice<Cost> label={t("Among ways with as few jumps")} value={cost.value} options={[["travel", t("least joint travel")], ["margin", t("largest margin")]]} onChange={(value) => (cost.value = value)} />
        <Switch label={t("the tool may spin about its z axis")} on={spin.value} onChange={(on) => (spin.value = on)} />
        <Switch label={t("begin where the arm stands")} on={here.value} onChange={(on) => (here.value = on)} />
        <Act kind="main" disabled={stale.value} onClick={follow}>
          {t("Follow")}
        </Act>
      </div>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </details>
  );
}
