// A model's equations on the screen: lines, abbreviations, what runs, copies and files of it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EquationLine, EquationsAnswer } from "../../shared/api";
import { rounded } from "../../shared/digits";
import { counted, t } from "../language";
import { Bar } from "../parts/bar";
import { Act, Switch } from "../parts/controls";
import { Formula } from "../parts/formula";
import { Proof } from "../parts/proof";
import { Handing } from "../parts/handing";
import { robot } from "../state/work";
import { TermsOf } from "./line";

const AT_ONCE = 60; // lines set before one asks for more: a thousand would take seconds

const rightOf = (line: EquationLine): string => line.terms.map((term) => term.tex).join("");
const tex = (answer: EquationsAnswer): string => `\\begin{aligned}\n${answer.lines.map((line) => `${line.left} = ${rightOf(line)}`).join(" \\\\\n")}\n\\end{aligned}\n`;

const ENTRY = /^(\w+)\[(\d+),(\d+)\]$/;
const WIDEST = 1500; // letters of LaTeX; a longer matrix is read line by line

/** The lines as one matrix, where they are the entries of one and it can be taken in at a glance. */
function matrixOf(answer: EquationsAnswer): string | null {
  const lines = answer.lines.slice(answer.intermediates);
  const places = lines.map(({ name }) => ENTRY.exec(name));
  const right = lines.map(rightOf);
  if (lines.length < 2 || places.some((place) => place?.[1] !== places[0]?.[1]) || !places[0] || right.join("").length > WIDEST) return null;
  const rows = new Map<string, string[]>();
  places.forEach((place, i) => rows.set(place![2]!, [...(rows.get(place![2]!) ?? []), right[i]!]));
  return `${places[0][1]} = \\begin{bmatrix}${[...rows.values()].map((row) => row.join(" & ")).join(" \\\\ ")}\\end{bmatrix}`;
}

function Legend({ answer }: { answer: EquationsAnswer }): JSX.Element | null {
  if (!answer.legend.length) return null;
  return (
    <p class="legend">
      {t("with")}{" "}
      {answer.legend.map(({ name, tex: symbol }) => (
        <span key={name} class="legend-entry">
          <Formula tex={symbol} />
        </span>
      ))}
    </p>
  );
}

function Lines({ answer }: { answer: EquationsAnswer }): JSX.Element {
  const [whole, setWhole] = useState(true);
  const [most, setMost] = useState(AT_ONCE);
  const matrix = matrixOf(answer);
  const from = whole ? 0 : answer.intermediates;
  const left = answer.lines.length - from;
  const visible = Math.min(left, most);
  return (
    <>
      {answer.intermediates > 0 && (
        <Switch label={counted("{0} intermediate", "{0} intermediates", answer.intermediates)} on={whole} onChange={setWhole} />
      )}
      {matrix && (
        <div class="matrix scroll-x" tabIndex={0} role="region" aria-label={t("The whole matrix")}>
          <Formula tex={matrix} />
        </div>
      )}
      <ol class="equations">
        {answer.lines.slice(from, from + visible).map((line, i) => (
          <li key={`${line.name} ${i}`}>
            <TermsOf answer={answer} line={line} />
          </li>
        ))}
      </ol>
      {left > visible && <Act onClick={() => setMost(most + 4 * AT_ONCE)}>{t("{0} more lines", left - visible)}</Act>}
    </>
  );
}

/** `most`: operations of the longest bar beside it; 0: no bar. */
export function Answer({ answer, old, most }: { answer: EquationsAnswer; old: boolean; most: number }): JSX.Element {
  const name = `${robot.value.name || "arm"}_${answer.model}`;
  const { mul, add, trig, total } = answer.count;
  return (
    <div class={old ? "old" : ""}>
      {most > 0 && (
        <>
          <h3>{t(answer.method)}</h3>
          <Bar mul={mul} add={total - mul} most={most} />
        </>
      )}
      <Handing
        copies={[[t("Copy LaTeX"), () => tex(answer)], [t("Copy text"), () => answer.text]]}
        files={[[t("Download LaTeX"), `${name}.tex`, () => tex(answer)]]}
      />
      <Lines answer={answer} />
      <Legend answer={answer} />
      <p class="quiet">{t("What runs: {0} multiplications, {1} additions, {2} sines and cosines.", mul, add, trig)}</p>
      <Proof {...answer} />
      {answer.lines.some((line) => rounded(rightOf(line)) !== rightOf(line)) && <p class="quiet">{t("Numbers are shown to six digits; copies and files have all of them.")}</p>}
      {answer.conditions.length > 0 && <p class="quiet">{t("Holds where {0}.", answer.conditions.join(", "))} {answer.conditions.some((text) => text.includes("size")) && t("size: the sum of the arm's lengths.")}</p>}
    </div>
  );
}
