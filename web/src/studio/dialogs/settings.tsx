// What the whole robot has: name, gravity, values of names, and what has no cell, as text of the file.
import type { JSX } from "preact";
import { t } from "../language";
import { Dialog } from "../parts/dialog";
import { symbolic } from "../state/drawing";
import { edit, robot, seal } from "../state/work";
import { withCell } from "../table/document";
import { shut } from "./which";

function Field({ label, address }: { label: string; address: string }): JSX.Element {
  const value = (robot.value as unknown as Record<string, string>)[address] ?? "";
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" value={value} onInput={(e) => edit((d) => withCell(d, address, e.currentTarget.value), address)} onBlur={seal} />
    </label>
  );
}

function Gravity(): JSX.Element {
  return (
    <fieldset class="line">
      <legend>{t("Gravity (m/s²)")}</legend>
      {["x", "y", "z"].map((letter, i) => (
        <label key={letter} class="small">
          {letter}
          <input
            type="text"
            value={robot.value.gravity[i]}
            onInput={(e) => edit((d) => withCell(d, `gravity[${i + 1}]`, e.currentTarget.value), `gravity ${i}`)}
            onBlur={seal}
          />
        </label>
      ))}
    </fieldset>
  );
}

function setValue(name: string, value: string): void {
  edit((d) => ({ ...d, values: [...d.values.filter((v) => v.name !== name), ...(value.trim() ? [{ name, value }] : [])] }), `value ${name}`);
}

function Values(): JSX.Element | null {
  const given = robot.value.values;
  const names = [...given.map((v) => v.name), ...symbolic.value.map((p) => p.name).filter((n) => !given.some((v) => v.name === n))];
  if (!names.length) return null;
  return (
    <fieldset class="values">
      <legend>{t("Values of names (SI); empty: the name stays a symbol")}</legend>
      {names.map((name) => (
        <label key={name} class="small">
          {name}
          <input type="text" value={given.find((v) => v.name === name)?.value ?? ""} onInput={(e) => setValue(name, e.currentTarget.value)} onBlur={seal} />
        </label>
      ))}
    </fieldset>
  );
}

export function SettingsDialog(): JSX.Element {
  return (
    <Dialog title={t("Robot")} onClose={shut} wide>
      <Field label={t("Name")} address="name" />
      <Field label={t("Description")} address="description" />
      <Field label={t("Source of the numbers")} address="source" />
      <Gravity />
      <Values />
      <label class="field">
        <span>{t("What has no cell, as in the file (base, tool, payload, poses)")}</span>
        <textarea
          rows={6}
          spellcheck={false}
          value={robot.value.extra_toml}
          onInput={(e) => edit((d) => ({ ...d, extra_toml: e.currentTarget.value }), "extra")}
          onBlur={seal}
        />
      </label>
    </Dialog>
  );
}
