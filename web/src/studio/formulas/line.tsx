// One equation, cut into its summands: pointing at one colours its links and joints and shows its present value.
import { signal } from "@preact/signals";
import { Fragment, type JSX } from "preact";
import type { EquationLine, EquationsAnswer, EquationTerm } from "../../shared/api";
import { breakable } from "../../shared/lines";
import { t } from "../language";
import { Formula } from "../parts/formula";
import { q } from "../state/arm";
import { drawn, standIns } from "../state/drawing";
import { viewer } from "../state/viewing";
import { mentioned, namesIn, valueOf, type Values } from "./terms";

const pointed = signal<EquationTerm | null>(null);

/** Values of what equations are made of: parameters, the joints as they stand, rates of one. */
function present(): Values {
  const values: Record<string, number> = {};
  for (const { name, value, stand_in } of drawn.value?.parameters ?? []) values[name] = standIns.value[name] ?? value ?? stand_in ?? 1;
  q.value.forEach((angle, i) => Object.assign(values, { [`q${i + 1}`]: angle, [`qd${i + 1}`]: 1, [`qdd${i + 1}`]: 1 }));
  return values;
}

const digits = (value: number): string => (Math.abs(value) < 1e-12 ? "0" : value.toPrecision(3));

function Worth({ terms, term, unit }: { terms: EquationTerm[]; term: EquationTerm; unit: string }): JSX.Element | null {
  const values = present();
  const mine = valueOf(term.tree, values);
  if (Number.isNaN(mine)) return null;
  const sum = terms.reduce((total, { tree }) => total + Math.abs(valueOf(tree, values)), 0); // NaN where one has no value
  const share = sum > 0 ? ` · ${t("{0} % of this line", ((100 * Math.abs(mine)) / sum).toFixed(0))}` : "";
  const moves = namesIn(term.tree).some((name) => /^qdd?\d/.test(name));
  return <span class="worth">{`${t("now")} ${digits(mine)}${unit}${share}${moves ? ` · ${t("with rates of 1")}` : ""}`}</span>;
}

function unitOf(answer: EquationsAnswer, line: EquationLine): string {
  const unit = answer.units[line.name.replace(/(\[.*|\d+)$/, "")];
  return unit && !unit.includes(",") && !unit.includes(" or ") ? ` ${unit}` : "";
}

function TermOf({ term, first }: { term: EquationTerm; first: boolean }): JSX.Element {
  const text = term.text.trim();
  const { links, joints } = mentioned(term.tree, q.value.length);
  const on = (): void => {
    pointed.value = term;
    viewer.value?.highlight({ links, joints });
  };
  const off = (): void => {
    if (pointed.value === term) pointed.value = null;
    viewer.value?.highlight({});
  };
  const about = [links.length ? t("links {0}", links.join(", ")) : "", joints.length ? t("joints {0}", joints.join(", ")) : ""].filter(Boolean).join("; ");
  const tex = breakable(term.tex.trim());
  return (
    <span class="term" tabIndex={0} role="button" aria-label={about ? `${text}: ${about}` : text} title={about} onPointerEnter={on} onPointerLeave={off} onFocus={on} onBlur={off}>
      <Formula tex={first ? tex : `{}${tex}`} />
    </span>
  );
}

export function TermsOf({ answer, line }: { answer: EquationsAnswer; line: EquationLine }): JSX.Element {
  const here = line.terms.find((term) => term === pointed.value);
  return (
    <>
      <Formula tex={`${line.left} =`} />{" "}
      {line.terms.map((term, i) => (
        <Fragment key={i}>
          <TermOf term={term} first={i === 0} />
          <wbr />
        </Fragment>
      ))}
      {here && <Worth terms={line.terms} term={here} unit={unitOf(answer, line)} />}
    </>
  );
}
