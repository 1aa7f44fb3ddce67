// Small controls with their labels: one way to write each, so that none is without a name.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

type Options<T extends string> = readonly (readonly [value: T, title: string])[];

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: Options<T>;
  onChange: (value: T) => void;
  groups?: readonly (readonly [title: string, options: Options<T>])[]; // the same options, by chapter
  quiet?: boolean; // the label is for screen readers alone
  disabled?: boolean;
}

export function Choice<T extends string>(props: ChoiceProps<T>): JSX.Element {
  const { label, value, options, groups, onChange, quiet, disabled } = props;
  const listed = (list: Options<T>): JSX.Element[] =>
    list.map(([key, title]) => (
      <option value={key} key={key} selected={key === value}>
        {title}
      </option>
    ));
  return (
    <label class="choice">
      <span class={quiet ? "unseen" : ""}>{label}</span>
      <select aria-label={label} title={options.find(([key]) => key === value)?.[1]} value={value} disabled={disabled} onChange={(e) => onChange(e.currentTarget.value as T)}>
        {groups
          ? groups.map(([title, list]) => (
              <optgroup label={title} key={title}>
                {listed(list)}
              </optgroup>
            ))
          : listed(options)}
      </select>
    </label>
  );
}

interface SwitchProps {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
  hint?: string;
}

export function Switch({ label, on, onChange, hint }: SwitchProps): JSX.Element {
  return (
    <label class="switch" title={hint}>
      <input type="checkbox" checked={on} onChange={(e) => onChange(e.currentTarget.checked)} />
      {label}
    </label>
  );
}

interface ActProps {
  children: ComponentChildren;
  onClick: () => void;
  kind?: "main" | "plain" | "icon";
  label?: string; // what a screen reader says where the face is a sign
  disabled?: boolean;
  pressed?: boolean;
  hint?: string;
}

export function Act({ children, onClick, kind = "plain", label, disabled, pressed, hint }: ActProps): JSX.Element {
  return (
    <button
      type="button"
      class={`act ${kind}`}
      onClick={onClick}
      disabled={disabled}
      aria-label={label}
      aria-pressed={pressed}
      title={hint ?? label}
    >
      {children}
    </button>
  );
}

interface SliderProps {
  label: string;
  unit: string;
  value: number;
  low: number;
  high: number;
  step: number;
  onInput: (value: number) => void;
  note?: string;
  digits?: number;
}

/** A slider with its value in a box beside it: both say the same and both can be used. */
export function Slider({ label, unit, value, low, high, step, onInput, note, digits = 3 }: SliderProps): JSX.Element {
  const id = useId();
  const said = `${label} (${unit})`;
  const shown = Number(value.toFixed(digits));
  const typed = (text: string): void => {
    const number = Number(text.replace(",", "."));
    if (text.trim() !== "" && Number.isFinite(number)) onInput(number);
  };
  return (
    <div class="slider">
      <label for={id} title={said}>{label}</label>
      <input
        type="range"
        id={id}
        aria-label={said}
        min={low}
        max={high}
        step="any"
        value={value}
        onInput={(e) => onInput(e.currentTarget.valueAsNumber)}
        onKeyDown={(e) => stepped(e, value, low, high, step, onInput)}
      />
      <input
        type="text"
        inputMode="decimal"
        class="number"
        aria-label={`${said}: value`}
        value={String(shown)}
        onChange={(e) => typed(e.currentTarget.value)}
      />
      <span class="unit">{unit}</span>
      {note !== undefined && <span class="note">{note}</span>}
    </div>
  );
}

// step="any" leaves the mouse free; the arrows then need a step of their own
function stepped(event: KeyboardEvent, value: number, low: number, high: number, step: number, put: (v: number) => void): void {
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (way === undefined) return;
  event.preventDefault();
  put(Math.min(high, Math.max(low, value + way * step)));
}
