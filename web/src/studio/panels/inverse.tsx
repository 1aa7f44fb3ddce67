// Inverse kinematics: the branches of the present tool pose and why some are refused; the arm's class; the derivation.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { InverseAnswer } from "../../shared/api";
import type { Branch } from "../../shared/types";
import { breakable } from "../../shared/lines";
import { t } from "../language";
import { Act } from "../parts/controls";
import { Formula, Prose } from "../parts/formula";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { coordinates, move, show, shown } from "../state/arm";
import { drawing, missing, module } from "../state/drawing";
import { branchName } from "../state/branch_words";
import { Job } from "../state/jobs";
import { answers, looking, searched } from "../state/searching";
import { sticks } from "../state/sticks";
import { chainType } from "../state/viewing";
import { robot, units } from "../state/work";
import { digits, jointUnit } from "../table/units";
import { answerOf, isOld, useAsking } from "./asking";
import { SeamPart } from "./seam";

const job = new Job<InverseAnswer>();

function angles(branch: Branch): string {
  return branch.q
    .map((value, i) => {
      const { size, unit } = jointUnit(coordinates.value[i]?.unit ?? "rad", units.value);
      return Number.isFinite(value) ? (value / size).toFixed(digits(unit)) : "–";
    })
    .join(", ");
}

// the first is enough to know why; a posture far off has one for nearly every joint
function Reasons({ text }: { text: string }): JSX.Element {
  const [first, ...others] = text.split("; ");
  return (
    <>
      {first}
      {others.length > 0 && (
        <details>
          <summary>{t("and {0} more", others.length)}</summary>
          <p>{others.join("; ")}</p>
        </details>
      )}
    </>
  );
}

interface RowProps {
  branch: Branch;
  nearest: boolean;
  figure: JSX.Element | null;
}

function BranchRow({ branch, nearest, figure }: RowProps): JSX.Element {
  const usable = branch.valid && branch.inside;
  return (
    <tr class={nearest ? "nearest" : usable ? "" : "refused"}>
      <th scope="row">
        {figure}
        {branch.name || t("only one")}
      </th>
      <td class="mono">{branch.q.some(Number.isFinite) && (branch.valid || !branch.inside) ? angles(branch) : "–"}</td>
      <td>{branch.reason ? <Reasons text={branch.reason} /> : nearest ? t("here") : t("reached")}</td>
      <td>
        <Act disabled={!usable || nearest} label={t("Go to {0}", branch.name || t("this branch"))} onClick={() => move([...branch.q], branch.name)}>
          {t("Go")}
        </Act>
      </td>
    </tr>
  );
}

/** How the arm would stand in each of them; its words stand beside it. */
function figuresOf(found: Branch[]): (JSX.Element | null)[] {
  const picture = drawing.value;
  if (!picture || !chainType.value) return found.map(() => null);
  const { frame, size, figures } = sticks(found, picture, new chainType.value(picture));
  return figures.map(
    (figure) =>
      figure && (
        <svg class="stick" viewBox={frame} aria-hidden="true">
          <path d={figure.links} />
          {figure.joints.map(([x, y], i) => (
            <circle key={i} cx={x} cy={y} r={0.045 * size} />
          ))}
          <path class="flap" d={figure.flap} />
        </svg>
      ),
  );
}

// what was tried where there is no closed form, and that it may not be all
function Tried(): JSX.Element | null {
  const own = searched.value;
  if (!module.value || module.value.inverse_kinematics) return null;
  const why = missing.value.find((entry) => entry.model === "inverse_kinematics")?.why; // in the page's language
  return (
    <>
      <p class="quiet">{t("This arm has no closed form in the page{0}; the tool can still be dragged.", why ? ` (${why})` : "")}</p>
      <p role="status">
        {!own && module.value.drag && t("searching when the arm rests…")}
        {own && (own.endless ? t("Searched from {0} starts: {1} found, some of endlessly many.", own.starts, own.branches.length) : t("Searched from {0} starts: {1} found, perhaps not all.", own.starts, own.branches.length))}
      </p>
    </>
  );
}

function Branches(): JSX.Element {
  const found = answers.value;
  if (!found) return module.value ? <></> : <p class="quiet">{t("Loading models…")}</p>;
  const refused = (i: number): number => Number(!(found.branches[i]!.valid && found.branches[i]!.inside));
  const order = found.branches.map((_, i) => i).sort((a, b) => refused(a) - refused(b) || a - b); // those reached first
  const figures = figuresOf(found.branches);
  const unit = [...new Set(coordinates.value.map((joint) => jointUnit(joint.unit, units.value).unit))].join(", ");
  return (
    <>
      <div class="line">
        <Act pressed={shown.value.branches} onClick={() => show({ branches: !shown.value.branches })}>
          {t("Show them on the arm")}
        </Act>
      </div>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Branches")}>
        <table class="figures branches">
          <thead>
            <tr>
              <th scope="col">{t("Branch")}</th>
              <th scope="col">q ({unit})</th>
              <th scope="col">{t("State")}</th>
              <th scope="col">
                <span class="unseen">{t("Go")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.map((i) => (
              <BranchRow key={i} branch={found.branches[i]!} nearest={i === found.nearest} figure={figures[i] ?? null} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Line({ line }: { line: { kind: "text" | "tex"; text: string } }): JSX.Element {
  if (line.kind === "text")
    return (
      <p>
        <Prose text={line.text} />
      </p>
    );
  return (
    <div class="scroll-x">
      <Formula tex={breakable(line.text.replace(/&/g, ""))} />
    </div>
  );
}

function Derivation({ answer }: { answer: InverseAnswer }): JSX.Element {
  return (
    <ol class="derivation">
      {answer.derivation.map((step, i) => (
        <li key={i}>
          <details open={i < 2}>
            <summary>
              <Prose text={step.title} />
              {step.finds && (
                <span class="quiet">
                  {" → "}
                  <Formula tex={step.finds} />
                </span>
              )}
            </summary>
            {step.lines.map((line, j) => (
              <Line key={j} line={line} />
            ))}
            {[step.roots, step.choice && t("Branch: {0}", branchName(step.choice)), step.singular].filter(Boolean).map((text) => (
              <p key={text} class="quiet">
                <Prose text={text} />
              </p>
            ))}
          </details>
        </li>
      ))}
    </ol>
  );
}

function Singular({ found }: { found: NonNullable<InverseAnswer["singularities"]> }): JSX.Element {
  return (
    <>
      <p class="quiet">
        <Formula tex={`${found.pieces.map(({ name }) => `\\det ${minor(name)}`).join(" \\cdot ")} = 0`} />
        {found.pieces.map(({ name, says }) => (
          <span key={name}>
            ; <Formula tex={minor(name)} />: {says}
          </span>
        ))}
      </p>
      {found.never && <p>{t("Never: no joint changes it.")}</p>}
      <ol class="equations">
        {found.lines.map((line) => (
          <li key={line}>
            <Formula tex={breakable(line.replace("\\text{ or }", `\\text{ ${t("or")} }`).replace(/\\text\{\((\w+)\)\}/, (_, word: string) => `\\text{(${t(word)})}`))} />
          </li>
        ))}
      </ol>
    </>
  );
}

// J11 → J_{11}
const minor = (name: string): string => (name === "JᵀJ" ? "J^{T}J" : name.replace(/(\d+)$/, "_{$1}"));

function Answer({ answer }: { answer: InverseAnswer }): JSX.Element {
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <h3>{t("Class of the arm")}</h3>
      <p>
        <strong>{answer.arm_class}</strong>: {answer.why}.
        {answer.free && <> {t("Left free: {0}.", answer.free)}</>}
      </p>
      {answer.singularities && (
        <>
          <h3>{t("Singular positions")}</h3>
          <Singular found={answer.singularities} />
        </>
      )}
      {answer.derivation.length > 0 && (
        <>
          <h3>{t("Derivation")}</h3>
          <Handing copies={[[t("Copy LaTeX"), () => answer.latex]]} files={[[t("Download LaTeX"), `${robot.value.name || "arm"}_inverse.tex`, () => answer.latex]]} />
          <p class="quiet">
            <Prose text={answer.letters} />
          </p>
          <Derivation answer={answer} />
        </>
      )}
    </div>
  );
}

export function InversePanel(): JSX.Element {
  useAsking(job, "/api/inverse", () => ({}));
  const answer = answerOf(job);
  useEffect(() => {
    looking.value++;
    return () => void looking.value--;
  }, []);
  return (
    <>
      <h3>{t("Branches of the tool's pose now")}</h3>
      <Tried />
      <Branches />
      <SeamPart />
      <JobLine job={job as Job<unknown>} />
      {answer && <Answer answer={answer} />}
    </>
  );
}
