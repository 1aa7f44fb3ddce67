// The motion that Dynamics and Simulate use: from one position to another, in some seconds.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { coordinates, q } from "../state/arm";
import { units } from "../state/work";
import { jointUnit } from "../table/units";

type Kind = "quintic" | "trapezoid" | "line";
export const kind = signal<Kind>("quintic");
export const from = signal<number[] | null>(null);
export const to = signal<number[] | null>(null);
export const seconds = signal(2);

/** The motion as it is requested; a joint that turns goes a quarter of a turn where nothing else was said. */
export function motion(): { kind: Kind; from: number[]; to: number[]; duration: number } {
  const joints = coordinates.value;
  const fits = (list: number[] | null): list is number[] => list?.length === joints.length;
  const begin = fits(from.value) ? from.value : joints.map((joint) => inside(joint.limits, 0));
  const end = fits(to.value) ? to.value : joints.map((joint, i) => inside(joint.limits, begin[i]! + (joint.unit === "rad" ? Math.PI / 3 : 0.2)));
  return { kind: kind.value, from: begin, to: end, duration: seconds.value };
}

const inside = (limits: [number, number] | null, value: number): number => (limits ? Math.min(limits[1], Math.max(limits[0], value)) : value);

function said(list: number[] | undefined): string {
  return (list ?? [])
    .map((value, i) => {
      const { size } = jointUnit(coordinates.value[i]?.unit ?? "rad", units.value);
      return String(Number((value / size).toPrecision(4)));
    })
    .join(", ");
}

export function MotionChoice(): JSX.Element {
  const asked = motion();
  return (
    <div class="line">
      <Choice<Kind>
        label={t("Motion")}
        value={kind.value}
        options={[["quintic", t("quintic")], ["trapezoid", t("trapezoid")], ["line", t("straight line of the tool")]]}
        onChange={(k) => (kind.value = k)}
      />
      <label class="choice">
        <span>{t("Duration (s)")}</span>
        <input
          type="number"
          min={0.1}
          max={60}
          step={0.1}
          value={seconds.value}
          onChange={(e) => e.currentTarget.valueAsNumber > 0 && (seconds.value = e.currentTarget.valueAsNumber)}
        />
      </label>
      <Act hint={said(asked.from)} onClick={() => (from.value = [...q.value])}>
        {t("Start here")}
      </Act>
      <Act hint={said(asked.to)} onClick={() => (to.value = [...q.value])}>
        {t("End here")}
      </Act>
      <span class="quiet">
        {said(asked.from)} → {said(asked.to)} {[...new Set(coordinates.value.map((joint) => jointUnit(joint.unit, units.value).unit))].join(", ")}
      </span>
    </div>
  );
}
