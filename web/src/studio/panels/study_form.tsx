// The settings of a study: a field for each with its unit and what it says; a mistake is shown at its field.
import type { ComponentChildren, JSX } from "preact";
import type { StudyField } from "../../shared/api";
import { t } from "../language";
import { Act, Choice, Switch } from "../parts/controls";
import { q } from "../state/arm";
import { units } from "../state/work";
import { jointUnit, plain } from "../table/units";
import { cellOf, endKey, endOf, job, logs, put, rangesOf, type Typed } from "./study_asked";

interface Box {
  label: string;
  unit: string; // SI
  value: Typed;
  wrong: boolean;
  told?: string; // id of what explains it
  face?: string; // what is written before it, where that is less than the label
  onPut: (value: Typed) => void;
}

/** Lengths and angles as the table has them; other units as they are. */
function shownUnit(si: string): { unit: string; size: number } {
  return si === "rad" || si === "m" ? jointUnit(si, units.value) : { unit: si, size: 1 };
}

const shown = (value: Typed, size: number): string => (typeof value === "number" ? String(Number((value / size).toPrecision(7))) : String(value ?? ""));

function read(text: string, size: number): Typed {
  const number = plain(text);
  return text.trim() === "" ? null : number === null ? text.trim() : number * size;
}

const withUnit = (label: string, unit: string): string => (unit && unit !== "1" ? `${label} (${unit})` : label);

function Cell({ label, unit: si, value, wrong, told, face, onPut }: Box): JSX.Element {
  const { unit, size } = shownUnit(si);
  const text = shown(value, size);
  const name = withUnit(label, unit);
  return (
    <label class="small">
      <span class={face === "" ? "unseen" : "quiet"}>{withUnit(face ?? label, unit)}</span>
      <input
        type="text"
        inputMode="decimal"
        class="number"
        aria-label={name}
        aria-invalid={wrong}
        aria-describedby={told}
        value={text}
        onChange={(e) => e.currentTarget.value !== text && onPut(read(e.currentTarget.value, size))}
      />
    </label>
  );
}

function Cells({ field, wrong, told }: { field: StudyField; wrong: boolean; told: string }): JSX.Element {
  const cells = field.cells.map(({ label, unit }, i) => (
    <Cell
      key={`${label} ${i}`}
      label={label ? `${field.name} ${t(label)}` : field.name}
      face={t(label)}
      unit={unit}
      value={cellOf(field, i)}
      wrong={wrong}
      told={told}
      onPut={(value) => put(field, i, value)}
    />
  ));
  if (field.kind !== "joints") return <>{cells}</>;
  const here = (): void => q.value.forEach((value, i) => put(field, i, value));
  return (
    <>
      {cells}
      <Act label={t("{0}: where the arm stands", field.name)} onClick={here}>
        {t("Where the arm stands")}
      </Act>
    </>
  );
}

function Ranges({ field, wrong, told }: { field: StudyField; wrong: boolean; told: string }): JSX.Element {
  return (
    <>
      {rangesOf(field).map((row) => (
        <span class="range" key={row.name}>
          {([t("from"), t("to")] as const).map((end, i) => (
            <Cell
              key={i}
              label={`${row.name} ${end}`}
              face={i ? end : `${row.name} ${end}`}
              unit={row.unit}
              value={endOf(field, row, i)}
              wrong={wrong}
              told={told}
              onPut={(value) => put(field, endKey(field, row.name, i), value)}
            />
          ))}
        </span>
      ))}
    </>
  );
}

function Lines({ field, wrong, told }: { field: StudyField; wrong: boolean; told: string }): JSX.Element {
  const text = String(cellOf(field, 0) ?? "");
  return (
    <textarea
      class="lines"
      spellcheck={false}
      rows={Math.min(12, text.split("\n").length + 1)}
      aria-label={withUnit(field.name, field.unit)}
      aria-invalid={wrong}
      aria-describedby={told}
      value={text}
      onChange={(e) => put(field, 0, e.currentTarget.value)}
    />
  );
}

function Logs({ told }: { told: string }): JSX.Element {
  return (
    <input
      type="file"
      multiple
      aria-label="logs"
      aria-describedby={told}
      accept=".csv,.npz,.mat,.parquet,.mcap,.bag,.db3,.h5,.txt"
      onChange={(e) => (logs.value = [...(e.currentTarget.files ?? [])])}
    />
  );
}

function inner(field: StudyField, wrong: boolean, told: string): ComponentChildren {
  if (field.kind === "logs") return <Logs told={told} />;
  if (field.kind === "lines") return <Lines field={field} wrong={wrong} told={told} />;
  if (field.kind === "ranges") return <Ranges field={field} wrong={wrong} told={told} />;
  if (field.kind === "flag") return <Switch label={t(field.about)} on={cellOf(field, 0) === true} onChange={(on) => put(field, 0, on)} />;
  if (field.kind !== "choice") return <Cells field={field} wrong={wrong} told={told} />;
  const options = field.choices.map((word) => [word, word.replaceAll("_", " ")] as const);
  return <Choice quiet label={field.name} value={String(cellOf(field, 0) ?? "")} options={options} onChange={(word) => put(field, 0, word)} />;
}

/** One setting. */
export function Field({ field }: { field: StudyField }): JSX.Element {
  const wrong = job.phase.value === "failed" && job.place.value === field.name;
  const told = `about-${field.name}`;
  const unit = field.cells.length === 1 ? shownUnit(field.cells[0]!.unit).unit : field.kind === "lines" ? field.unit : "";
  return (
    <fieldset class={`setting ${field.cells.length > 1 || ["ranges", "lines"].includes(field.kind) ? "many" : ""}`}>
      <legend>{withUnit(field.name, unit)}</legend>
      <div class="line">{inner(field, wrong, told)}</div>
      {field.kind !== "flag" && (
        <p class="quiet" id={told}>
          {t(field.about)}
          {field.kind === "lines" && ` · ${t("as lines of a study file")}`}
        </p>
      )}
      {wrong && (
        <p class="failed" role="alert">
          <span aria-hidden="true">⚠ </span>
          {job.error.value}
        </p>
      )}
    </fieldset>
  );
}
