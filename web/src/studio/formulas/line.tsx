// One equation, cut into its summands: pointing at one colours its links and joints and tells its present value.
import { signal } from "@preact/signals";
import { Fragment, type JSX } from "preact";
import type { EquationsAnswer } from "../../shared/api";
import { breakable } from "../../shared/lines";
import { t } from "../language";
import { Formula } from "../parts/formula";
import { q } from "../state/arm";
import { drawn, standIns } from "../state/drawing";
import { viewer } from "../state/viewing";
import { evaluate, type Values } from "./evaluate";
import { mentioned, summands } from "./terms";

interface Pointed {
  line: number;
  term: number;
}
const pointed = signal<Pointed | null>(null);

/** Values of every name a printed equation may use: parameters, q, rates of one, and what the legend abbreviates. */
function present(answer: EquationsAnswer): Values {
  const values: Record<string, number> = { pi: Math.PI };
  for (const { name, value, stand_in } of drawn.value?.parameters ?? []) values[name] = standIns.value[name] ?? value ?? stand_in ?? 1;
  q.value.forEach((angle, i) => Object.assign(values, { [`q${i + 1}`]: angle, [`qd${i + 1}`]: 1, [`qdd${i + 1}`]: 1, [`theta${i + 1}`]: angle, [`d${i + 1}`]: values[`d${i + 1}`] ?? angle }));
  for (const { name, text } of answer.legend) {
    const value = evaluate(text.includes("=") ? text.slice(text.indexOf("=") + 1) : text, values);
    if (value !== null) values[name] = value;
  }
  return values;
}

const digits = (value: number): string => (Math.abs(value) < 1e-12 ? "0" : value.toPrecision(3));

function Worth({ answer, line, texts, term }: { answer: EquationsAnswer; line: number; texts: string[]; term: number }): JSX.Element | null {
  const values = present(answer);
  const worth = texts.map((text) => evaluate(text, values));
  const mine = worth[term];
  if (mine === null || mine === undefined) return null;
  const sum = worth.reduce<number>((total, value) => total + Math.abs(value ?? 0), 0);
  const share = sum > 0 && worth.every((value) => value !== null) ? ` · ${t("{0} % of this line", ((100 * Math.abs(mine)) / sum).toFixed(0))}` : "";
  const unit = unitOf(answer, line);
  return <span class="worth">{`${t("now")} ${digits(mine)}${unit}${share}${/qd/.test(texts[term]!) ? ` · ${t("with rates of 1")}` : ""}`}</span>;
}

function unitOf(answer: EquationsAnswer, line: number): string {
  const name = answer.latex[line]!.name.replace(/(\[.*|\d+)$/, "");
  const unit = answer.units[name];
  return unit && !unit.includes(",") && !unit.includes(" or ") ? ` ${unit}` : "";
}

interface TermProps {
  tex: string;
  text: string;
  place: Pointed;
}

function TermOf({ tex, text, place }: TermProps): JSX.Element {
  const on = (): void => {
    pointed.value = place;
    viewer.value?.highlight(mentioned(text, q.value.length));
  };
  const off = (): void => {
    if (pointed.value === place) pointed.value = null;
    viewer.value?.highlight({});
  };
  const { links, joints } = mentioned(text, q.value.length);
  const about = [links.length ? t("links {0}", links.join(", ")) : "", joints.length ? t("joints {0}", joints.join(", ")) : ""].filter(Boolean).join("; ");
  return (
    <span class="term" tabIndex={0} role="button" aria-label={about ? `${text}: ${about}` : text} title={about} onPointerEnter={on} onPointerLeave={off} onFocus={on} onBlur={off}>
      <Formula tex={place.term > 0 ? `{}${tex}` : tex} />
    </span>
  );
}

/** A line of the answer. Where LaTeX and text cannot be cut alike, the line is set whole. */
export function TermsOf({ answer, line }: { answer: EquationsAnswer; line: number }): JSX.Element {
  const whole = breakable(answer.latex[line]!.tex.replace(/&/g, "").replace(/\\\\\s*\\quad/g, "").replace(/\\\\/g, ""));
  const cut = whole.indexOf("=");
  const right = answer.equations[line]?.right ?? "";
  const texts = summands(right);
  const parts = summands(whole.slice(cut + 1));
  if (cut < 0 || parts.length !== texts.length || right === "") return <Formula tex={whole} />;
  const here = pointed.value?.line === line ? pointed.value.term : null;
  return (
    <>
      <Formula tex={`${whole.slice(0, cut)}=`} />{" "}
      {parts.map((part, i) => (
        <Fragment key={i}>
          <TermOf tex={part} text={texts[i]!} place={{ line, term: i }} />
          <wbr />
        </Fragment>
      ))}
      {here !== null && <Worth answer={answer} line={line} texts={texts} term={here} />}
    </>
  );
}
