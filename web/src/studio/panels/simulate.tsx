// The arm under a law: gains as sliders, a push, an unknown load; where joints stick; the motion on the arm.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { SimulateAnswer } from "../../shared/api";
import type { Lines } from "../../shared/plot";
import { t, unitWords } from "../language";
import { Act, Choice, Slider, Switch } from "../parts/controls";
import { Handing } from "../parts/handing";
import { columnsOf, Plot } from "../parts/plot";
import { JobLine } from "../parts/working";
import { drawing, known, stale, standIns } from "../state/drawing";
import { Job } from "../state/jobs";
import { start } from "../state/start";
import { robot } from "../state/work";
import { jointUnit } from "../table/units";
import { answerOf, ask, isOld } from "./asking";
import { PlayActs, StandIns, unitsOf } from "./dynamics";
import { motion, MotionChoice, seconds } from "./motion";

const job = new Job<SimulateAnswer>();
const law = signal("computed_torque");
const gains = signal<Readonly<Record<string, number>>>({});
const load = signal(0);
const push = signal(0);
const noisy = signal(false);
const MANY = 5; // a slider goes from none to five times what one begins with; the box takes any number
const NOT_SLID = new Set(["sample", "lower", "upper"]); // told by the loop itself
const friction = signal<"stick" | "smooth" | "none">("stick");

const settings = computed(() => (start.value?.laws.find((entry) => entry.name === law.value)?.settings ?? []).filter(({ name }) => !NOT_SLID.has(name)));
type Setting = (typeof settings.value)[number];
const setTo = ({ name, value }: Setting): number => gains.value[`${law.value} ${name}`] ?? value ?? 1;

/** A push of so many newtons along the weight, in the world. */
function downwards(force: number): [number, number, number] {
  const [x = 0, y = 0, z = 1] = drawing.value?.up ?? [];
  return [-force * x, -force * y, -force * z];
}

function request(): object {
  const reference = motion();
  const until = seconds.value * 1.5;
  return {
    law: law.value,
    gains: Object.fromEntries(settings.value.map((setting) => [setting.name, setTo(setting)])),
    ...(law.value ? { reference } : {}),
    start: reference.from,
    until,
    friction: friction.value,
    payload: load.value,
    push: push.value ? { from: seconds.value / 2, to: seconds.value / 2 + 0.1, force: downwards(push.value) } : null,
    values: known(standIns.value),
    noise: noisy.value ? { q: 1e-5, qd: 1e-3 } : null,
  };
}

const run = (): void => ask(job, "/api/simulate", { document: robot.value, ...request() });

function Laws(): JSX.Element {
  const known = start.value?.laws ?? [];
  const options = [["", t("no law: it falls")] as const, ...known.map(({ name }) => [name, t(name.replaceAll("_", " "))] as const)];
  return (
    <div class="line">
      <Choice label={t("Law")} value={law.value} options={options} onChange={(l) => (law.value = l)} />
      <Choice
        label={t("Friction")}
        value={friction.value}
        options={[["stick", t("stick and slip")], ["smooth", t("smooth")], ["none", t("none")]]}
        onChange={(f) => (friction.value = f)}
      />
      <Switch label={t("Noisy sensors")} on={noisy.value} onChange={(on) => (noisy.value = on)} />
    </div>
  );
}

function Sliders(): JSX.Element {
  return (
    <div class="sliders plain">
      {settings.value.map((setting) => {
        const high = Math.max(MANY * Math.abs(setting.value ?? 1), setTo(setting), 1e-3);
        return (
          <Slider
            key={setting.name}
            label={t(setting.name)}
            unit={unitWords(setting.unit) || "–"}
            value={setTo(setting)}
            low={0}
            high={high}
            step={high / 100}
            onInput={(value) => (gains.value = { ...gains.value, [`${law.value} ${setting.name}`]: value })}
          />
        );
      })}
      <Slider label={t("unknown load")} unit="kg" value={load.value} low={0} high={10} step={0.1} onInput={(value) => (load.value = value)} />
      <Slider label={t("push on the tool")} unit="N" value={push.value} low={0} high={200} step={1} onInput={(value) => (push.value = value)} />
    </div>
  );
}

const shownUnits = (answer: SimulateAnswer): ReturnType<typeof jointUnit>[] => answer.units.q.map((unit) => jointUnit(unit, robot.peek()));

/** Joint by joint in the table's units. */
function scaled(rows: number[][], answer: SimulateAnswer): number[][] {
  const shown = shownUnits(answer);
  return columnsOf(rows).map((column, i) => column.map((value) => value / (shown[i]?.size ?? 1)));
}

function positions(answer: SimulateAnswer): Lines {
  const shown = shownUnits(answer);
  const ref = answer.ref ? scaled(answer.ref, answer) : [];
  const names = answer.joints.map((_, i) => `q${i + 1}`);
  return {
    x: answer.t,
    series: [...ref, ...scaled(answer.q, answer)],
    labels: [...ref.map((_, i) => `${names[i]} ${t("wanted")}`), ...names],
    colours: [...ref.keys(), ...names.keys()],
    pale: [...ref.map(() => true), ...names.map(() => false)],
    units: { x: "t (s)", y: `q (${unitsOf(shown.map(({ unit }) => unit))})` },
    title: t("Position"),
  };
}

const torques = (answer: SimulateAnswer): Lines => ({ x: answer.t, series: columnsOf(answer.tau), labels: answer.joints.map((_, i) => `τ${i + 1}`), units: { x: "t (s)", y: `τ (${unitsOf(answer.units.tau)})` }, title: t("Torque") });

function errors(answer: SimulateAnswer): Lines[] {
  if (!answer.error) return [];
  const labels = answer.joints.map((_, i) => `e${i + 1}`);
  return [{ x: answer.t, series: scaled(answer.error, answer), labels, units: { x: "t (s)", y: `e (${unitsOf(shownUnits(answer).map(({ unit }) => unit))})` }, title: t("Error") }];
}

function Rests({ answer }: { answer: SimulateAnswer }): JSX.Element | null {
  const last = answer.t.at(-1) ?? 1;
  if (!answer.modes.length) return null;
  return (
    <figure>
      <figcaption>{t("Where joints rest (stick)")}</figcaption>
      {answer.joints.map((name, i) => {
        const rests = answer.modes.filter((mode) => mode.joint === name);
        const said = rests.map(({ since, until }) => `${since.toFixed(2)}–${until.toFixed(2)} s`).join(", ");
        return (
          <div class="rests" key={name}>
            <span>q{i + 1}</span>
            <svg viewBox={`0 0 1000 10`} preserveAspectRatio="none" role="img" aria-label={`${name}: ${said || t("never")}`}>
              <rect class="time" x="0" y="0" width="1000" height="10" />
              {rests.map(({ since, until }) => (
                <rect class="rest" key={since} x={(1000 * since) / last} y="0" width={Math.max(2, (1000 * (until - since)) / last)} height="10" />
              ))}
            </svg>
          </div>
        );
      })}
    </figure>
  );
}

function csv(answer: SimulateAnswer): string {
  const head = ["t", ...["q", "qd", "tau"].flatMap((name) => answer.joints.map((_, i) => `${name}${i + 1}`))];
  return `${head.join(",")}\n${answer.t.map((now, k) => [now, ...answer.q[k]!, ...answer.qd[k]!, ...answer.tau[k]!].join(",")).join("\n")}\n`;
}

function Answer({ answer }: { answer: SimulateAnswer }): JSX.Element {
  const plots = useMemo(() => [positions(answer), ...errors(answer), torques(answer)], [answer]);
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <div class="line">
        <PlayActs t={answer.t} q={answer.q} />
        <Handing copies={[[t("Copy"), () => csv(answer)]]} files={[[t("Download CSV"), `${robot.value.name || "arm"}_run.csv`, () => csv(answer)]]} />
      </div>
      {answer.warnings.map((warning, i) => (
        <p key={i} class="warnings">
          {warning.message}
        </p>
      ))}
      {plots.map((lines) => (
        <figure key={lines.title}>
          <figcaption>{lines.title}</figcaption>
          <Plot lines={lines} height={180} />
        </figure>
      ))}
      <Rests answer={answer} />
      <p class="quiet">{t("Energy is balanced to {0} J.", Math.abs(answer.balance).toExponential(1))}</p>
      <StandIns values={answer.stand_ins} />
    </div>
  );
}

export function SimulatePanel(): JSX.Element {
  const answer = answerOf(job);
  return (
    <>
      <Laws />
      {law.value && <MotionChoice />}
      <Sliders />
      <div class="line">
        <Act kind="main" disabled={stale.value} onClick={run}>
          {t("Simulate")}
        </Act>
      </div>
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
