// A model's equations on the screen: lines, abbreviations, what runs, copies and files of it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EquationLine, EquationsAnswer } from "../../shared/api";
import { rounded } from "../../shared/digits";
import { counted, t } from "../language";
import { Bar } from "../parts/bar";
import { Act } from "../parts/controls";
import { Formula } from "../parts/formula";
import { Proof } from "../parts/proof";
import { Handing } from "../parts/handing";
import { robot } from "../state/work";
import { TermsOf } from "./line";

const AT_ONCE = 60; // lines set before one asks for more: a thousand would take seconds

const rightOf = (line: EquationLine): string => line.terms.map((term) => term.tex).join("");
const tex = (answer: EquationsAnswer): string => `\\begin{aligned}\n${answer.lines.map((line) => `${line.left} = ${rightOf(line)}`).join(" \\\\\n")}\n\\end{aligned}\n`;

const ENTRY = /^(\w+)\[(?:(\d+),)?(\d+),(\d+)\]$/; // T[1,4], and T[2,1,4] of T_2
const WIDEST = 1500; // letters of LaTeX; a longer matrix is read line by line

interface Block {
  key: string; // of the matrix whose entries these are; "" a line alone
  lines: EquationLine[];
}

/** Lines in a row that are entries of one matrix stand together. */
function blocksOf(lines: EquationLine[]): Block[] {
  const found: Block[] = [];
  for (const line of lines) {
    const place = ENTRY.exec(line.name);
    const key = place ? `${place[1]} ${place[2] ?? ""}` : "";
    const last = found.at(-1);
    if (key && last?.key === key) last.lines.push(line);
    else found.push({ key, lines: [line] });
  }
  return found;
}

const headOf = (name: string): string => (name.length > 1 ? `\\mathrm{${name}}` : name);

/** As one matrix, where it is one and can be taken in at a glance. */
function matrixOf({ key, lines }: Block): string | null {
  const right = lines.map(rightOf);
  if (!key || lines.length < 2 || right.join("").length > WIDEST) return null;
  const rows = new Map<string, string[]>();
  lines.forEach(({ name }, i) => {
    const row = ENTRY.exec(name)![3]!;
    rows.set(row, [...(rows.get(row) ?? []), right[i]!]);
  });
  const [head, number] = key.split(" ");
  const body = [...rows.values()].map((row) => row.join(" & ")).join(" \\\\ ");
  return `${headOf(head!)}${number ? `_{${number}}` : ""} = \\begin{bmatrix}${body}\\end{bmatrix}`;
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

function List({ answer, lines }: { answer: EquationsAnswer; lines: EquationLine[] }): JSX.Element {
  const [most, setMost] = useState(AT_ONCE);
  return (
    <>
      <ol class="equations">
        {lines.slice(0, most).map((line, i) => (
          <li key={`${line.name} ${i}`}>
            <TermsOf answer={answer} line={line} />
          </li>
        ))}
      </ol>
      {lines.length > most && <Act onClick={() => setMost(most + 4 * AT_ONCE)}>{t("{0} more lines", lines.length - most)}</Act>}
    </>
  );
}

/** Lines that are set when somebody unfolds them. */
function Folded({ answer, lines, title }: { answer: EquationsAnswer; lines: EquationLine[]; title: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{title}</summary>
      {open && <List answer={answer} lines={lines} />}
    </details>
  );
}

// the result first, its matrices as matrices; entry by entry, and the lines it is made of, for who unfolds them
function Lines({ answer }: { answer: EquationsAnswer }): JSX.Element {
  const blocks = blocksOf(answer.lines.slice(answer.intermediates)).map((block) => ({ ...block, matrix: matrixOf(block) }));
  const entries = blocks.flatMap(({ matrix, lines }) => (matrix ? lines : []));
  const plain: EquationLine[][] = []; // neighbours that are no matrix are one list
  const shown: (string | EquationLine[])[] = [];
  for (const { matrix, lines } of blocks) {
    if (matrix) shown.push(matrix);
    else if (Array.isArray(shown.at(-1))) plain.at(-1)!.push(...lines);
    else shown.push(plain[plain.push([...lines]) - 1]!);
  }
  return (
    <>
      {shown.map((part, i) =>
        typeof part === "string" ? (
          <div key={i} class="matrix scroll-x" tabIndex={0} role="region" aria-label={t("The whole matrix")}>
            <Formula tex={part} />
          </div>
        ) : (
          <List key={i} answer={answer} lines={part} />
        ),
      )}
      {entries.length > 0 && <Folded answer={answer} lines={entries} title={t("Entry by entry")} />}
      {answer.intermediates > 0 && (
        <Folded answer={answer} lines={answer.lines.slice(0, answer.intermediates)} title={counted("{0} auxiliary line", "{0} auxiliary lines", answer.intermediates)} />
      )}
    </>
  );
}

/** `most`: operations of the longest bar beside it; 0: no bar. */
export function Answer({ answer, old, most }: { answer: EquationsAnswer; old: boolean; most: number }): JSX.Element {
  const name = `${robot.value.name || "arm"}_${answer.model}`;
  const { mul, add, trig, total } = answer.count;
  const ran = t("What runs: {0} multiplications, {1} additions, {2} sines and cosines.", mul, add, trig);
  return (
    <div class={old ? "old" : ""}>
      {most > 0 && (
        <>
          <h3>
            {t(answer.method)}: {counted("{0} operation", "{0} operations", total)}
          </h3>
          <Bar mul={mul} add={total - mul} most={most} />
          <p class="quiet">{ran}</p>
        </>
      )}
      <Handing
        copies={[[t("Copy LaTeX"), () => tex(answer)], [t("Copy text"), () => answer.text]]}
        files={[[t("Download LaTeX"), `${name}.tex`, () => tex(answer)]]}
      />
      {answer.remark && <p class="quiet">{answer.remark}</p>}
      <Lines answer={answer} />
      <Legend answer={answer} />
      {most === 0 && <p class="quiet">{ran}</p>}
      <Proof {...answer} />
      {answer.lines.some((line) => rounded(rightOf(line)) !== rightOf(line)) && <p class="quiet">{t("Numbers are shown to six digits; copies and files have all of them.")}</p>}
      {answer.conditions.length > 0 && <p class="quiet">{t("Holds where {0}.", answer.conditions.join(", "))} {answer.conditions.some((text) => text.includes("size")) && t("size: the sum of the arm's lengths.")}</p>}
    </div>
  );
}
