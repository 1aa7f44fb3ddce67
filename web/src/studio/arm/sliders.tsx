// One slider for each joint, in its own unit; one for each length that has no value yet.
import type { JSX } from "preact";
import { t } from "../language";
import { Slider } from "../parts/controls";
import { chosen, coordinates, moveJoint, q, range } from "../state/arm";
import { standIns, symbolic } from "../state/drawing";
import { units, welcome } from "../state/work";
import { digits, jointUnit } from "../table/units";

const STEP: Record<string, number> = { deg: 1, mm: 5, cm: 0.5 };

// who enters a slider is about to use it: the welcome must not write into the box any more
function entered(index: number): void {
  chosen.value = index;
  welcome.value = false;
}

function JointSlider({ index }: { index: number }): JSX.Element {
  const joint = coordinates.value[index]!;
  const { unit, size } = jointUnit(joint.unit, units.value);
  const { low, high, given } = range(joint);
  const shown = (value: number): string => String(Number((value / size).toPrecision(4)));
  const value = q.value[index] ?? 0;
  return (
    <div class={index === chosen.value ? "chosen" : ""} onFocusIn={() => entered(index)}>
      <Slider
        label={`q${index + 1}`}
        unit={unit}
        value={value / size}
        low={Math.min(low, value) / size}
        high={Math.max(high, value) / size}
        step={STEP[unit] ?? 0.01}
        digits={digits(unit)}
        onInput={(next) => moveJoint(index, next * size)}
        note={`[${shown(low)}, ${shown(high)}]${given ? "" : ` ${t("no limit")}`}`}
      />
    </div>
  );
}

function StandIn({ index }: { index: number }): JSX.Element {
  const { name, unit, about, stand_in } = symbolic.value[index]!;
  const usual = stand_in ?? 1;
  const value = standIns.value[name] ?? usual;
  return (
    <div class="stand-in" title={about}>
      <Slider
        label={name}
        unit={unit || "–"}
        value={value}
        low={Math.min(usual ? 0 : -0.5, value)}
        high={Math.max(2 * Math.abs(usual) || 0.5, value)}
        step={Math.abs(usual) / 50 || 0.02}
        onInput={(next) => (standIns.value = { ...standIns.value, [name]: next })}
        note={t("stand-in")}
      />
    </div>
  );
}

const NAMED = 6; // in the heading
const named = (names: string[]): string => names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ` ${t("and {0} more", names.length - NAMED)}` : "");

export function Sliders(): JSX.Element {
  const free = symbolic.value;
  return (
    <section class="sliders" aria-label={t("Joints")}>
      {coordinates.value.map((joint, i) => (
        <JointSlider key={`${i}${joint.name}`} index={i} />
      ))}
      {free.length > 0 && (
        <details class="stand-ins" open={free.length <= 3}>
          <summary>{t("Names without a value: {0}", named(free.map((p) => p.name)))}</summary>
          {free.map((p, i) => (
            <StandIn key={p.name} index={i} />
          ))}
        </details>
      )}
    </section>
  );
}
