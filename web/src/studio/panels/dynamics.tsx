// Torques, energy and manipulability along a motion.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MotionAnswer } from "../../shared/api";
import type { Lines } from "../../shared/plot";
import { t } from "../language";
import { Act } from "../parts/controls";
import { Handing } from "../parts/handing";
import { columnsOf, Plot } from "../parts/plot";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { play, playing, stop, time } from "../state/playing";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";
import { motion, MotionChoice } from "./motion";

const job = new Job<MotionAnswer>();

export const unitsOf = (list: string[]): string => [...new Set(list)].join(", ");

function torques(answer: MotionAnswer): Lines {
  const labels = answer.joints.map((_, i) => `τ${i + 1}`);
  return { x: answer.t, series: columnsOf(answer.tau), labels, units: { x: "t (s)", y: `τ (${unitsOf(answer.units.tau)})` }, title: t("Torques along the motion") };
}

function energy(answer: MotionAnswer): Lines {
  const { kinetic, potential } = answer.energy;
  return { x: answer.t, series: [kinetic, potential, kinetic.map((k, i) => k + potential[i]!)], labels: [t("kinetic"), t("potential"), t("sum")], units: { x: "t (s)", y: "E (J)" }, title: t("Energy along the motion") };
}

const manipulability = (answer: MotionAnswer): Lines => ({ x: answer.t, series: [answer.manipulability ?? []], labels: ["w"], units: { x: "t (s)", y: "w = √det(J Jᵀ)" }, title: t("Manipulability along the motion") });

function csv(answer: MotionAnswer): string {
  const head = ["t", ...["q", "qd", "qdd", "tau"].flatMap((name) => answer.joints.map((_, i) => `${name}${i + 1}`)), "kinetic", "potential"];
  const rows = answer.t.map((now, k) => [now, ...answer.q[k]!, ...answer.qd[k]!, ...answer.qdd[k]!, ...answer.tau[k]!, answer.energy.kinetic[k], answer.energy.potential[k]].join(","));
  return `${head.join(",")}\n${rows.join("\n")}\n`;
}

export function StandIns({ values }: { values: Record<string, number> }): JSX.Element | null {
  const names = Object.entries(values);
  if (!names.length) return null;
  return <p class="quiet">{t("Computed with stand-ins: {0}.", names.map(([name, value]) => `${name} = ${Number(value.toPrecision(4))}`).join(", "))}</p>;
}

export function PlayActs({ t: times, q }: { t: number[]; q: number[][] }): JSX.Element {
  return (
    <>
      <Act kind="main" onClick={() => (playing.value ? stop() : play(times, q))}>
        {playing.value ? t("Stop") : t("Play on the arm")}
      </Act>
      {playing.value && <span class="quiet">t = {time.value.toFixed(2)} s</span>}
    </>
  );
}

function Answer({ answer }: { answer: MotionAnswer }): JSX.Element {
  const plots = useMemo(() => [torques(answer), energy(answer), ...(answer.manipulability ? [manipulability(answer)] : [])], [answer]);
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <div class="line">
        <PlayActs t={answer.t} q={answer.q} />
        <Handing copies={[[t("Copy"), () => csv(answer)]]} files={[[t("Download CSV"), `${robot.value.name || "arm"}_motion.csv`, () => csv(answer)]]} />
      </div>
      {plots.map((lines) => (
        <figure key={lines.title}>
          <figcaption>{lines.title}</figcaption>
          <Plot lines={lines} />
        </figure>
      ))}
      <StandIns values={answer.stand_ins} />
    </div>
  );
}

export function DynamicsPanel(): JSX.Element {
  useAsking(job, "/api/motion", () => ({ motion: motion() }), true);
  const answer = answerOf(job);
  return (
    <>
      <MotionChoice />
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
