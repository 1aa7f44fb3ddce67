// The robot's table: a real table of fields, so that the keyboard, screen readers and the clipboard work as everywhere.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Fault, RobotDocument } from "../../shared/api";
import type { Cell as Step } from "../../shared/types";
import { t } from "../language";
import { Act, Choice } from "../parts/controls";
import { faults, warnings } from "../state/drawing";
import { start } from "../state/start";
import { viewer } from "../state/viewing";
import { edit, robot, seal } from "../state/work";
import { Cell, focusCell, type Place } from "./cell";
import { columns, viewOf, type Column, type View } from "./columns";
import { filled, inserted, moved, read, removed, write } from "./document";
import { block, hasHeader, isBlock, isOther } from "./paste";
import { readPasted } from "./reading";

export const view = signal<View>("geometry");

const STEPS: readonly string[] = ["theta", "d", "a", "alpha"];

// the step a cell stands for is animated when the cell is entered: a wrong sign is seen
function walk(row: number, address: string): void {
  const moving = robot.value.rows.slice(0, row).filter((r) => !/^f/i.test(r.type)).length;
  if (STEPS.includes(address) && !/^f/i.test(robot.value.rows[row]?.type ?? "f")) void viewer.value?.walk(moving, address as Step);
}

function left(): void {
  seal();
  viewer.value?.endWalk();
}

function pasted(text: string, place: Place, shown: Column[]): boolean {
  if (!isBlock(text) && !isOther(text)) return false;
  if (hasHeader(text) || isOther(text)) void readPasted(text);
  else edit((document) => filled(document, block(text), place.row, shown.slice(place.column).map((c) => c.address)));
  return true;
}

function addBelow({ row, column }: Place): void {
  edit((d) => inserted(d, d.rows.length));
  requestAnimationFrame(() => focusCell(document.querySelector("table.cells"), { row: row + 1, column }));
}

const faultOf = (row: number, address: string, list: Fault[]): number =>
  list.findIndex((fault) => fault.row === row && fault.column === address);

function Types({ row }: { row: number }): JSX.Element {
  const known = start.value?.joint_types ?? ["revolute", "prismatic", "fixed", "helical"];
  const value = robot.value.rows[row]!.type;
  const list = known.includes(value) ? known : [value, ...known];
  return (
    <Choice
      quiet
      label={t("type of joint {0}", row + 1)}
      value={value}
      options={list.map((type) => [type, t(type)] as const)}
      onChange={(type) => edit((document) => write(document, row, "type", type))}
    />
  );
}

function RowActs({ row, rows }: { row: number; rows: number }): JSX.Element {
  return (
    <span class="row-acts">
      <Act kind="icon" label={t("Move joint {0} up", row + 1)} disabled={row === 0} onClick={() => edit((d) => moved(d, row, row - 1))}>
        ↑
      </Act>
      <Act kind="icon" label={t("Move joint {0} down", row + 1)} disabled={row === rows - 1} onClick={() => edit((d) => moved(d, row, row + 1))}>
        ↓
      </Act>
      <Act kind="icon" label={t("Remove joint {0}", row + 1)} disabled={rows === 1} onClick={() => edit((d) => removed(d, row))}>
        ×
      </Act>
    </span>
  );
}

interface RowProps {
  document: RobotDocument;
  row: number;
  shown: Column[];
}

function TableRow({ document, row, shown }: RowProps): JSX.Element {
  const list = faults.value;
  const name = (c: Column): string => t("joint {0}, {1} ({2})", row + 1, c.title, c.unit);
  return (
    <tr>
      <th scope="row">{row + 1}</th>
      <td class="type">
        <Types row={row} />
      </td>
      {shown.map((column, i) => {
        const fault = faultOf(row, column.address, list);
        return (
          <td key={column.address} class={column.narrow ? "narrow" : ""}>
            <Cell
              place={{ row, column: i }}
              label={name(column)}
              value={read(document, row, column.address)}
              fault={fault < 0 ? "" : `fault-${fault}`}
              onInput={(text) => edit((d) => write(d, row, column.address, text), `${row} ${column.address}`)}
              onPaste={(text) => pasted(text, { row, column: i }, shown)}
              onFocus={() => walk(row, column.address)}
              onBlur={left}
              onEnd={() => addBelow({ row, column: i })}
            />
          </td>
        );
      })}
      <td class="acts">
        <RowActs row={row} rows={document.rows.length} />
      </td>
    </tr>
  );
}

/** The cell of a sentence, by a button that goes there. */
function Lead({ fault }: { fault: Pick<Fault, "row" | "column"> }): JSX.Element | null {
  if (fault.row === null) return null;
  const column = columns(robot.value, viewOf(fault.column)).find((c) => c.address === fault.column);
  return (
    <>
      <button type="button" class="link" onClick={() => goTo(fault)}>
        {t("row {0}, {1}", fault.row + 1, (column ? column.title : fault.column) || t("joint"))}
      </button>
      {": "}
    </>
  );
}

function Faults(): JSX.Element {
  return (
    <div role="alert">
      <ul class="faults">
        {faults.value.map((fault, i) => (
          <li id={`fault-${i}`} key={`${i}${fault.message}`}>
            <span aria-hidden="true">⚠ </span>
            <Lead fault={fault} />
            <span class="sentence">{fault.row === null ? fault.message : `${fault.problem}${fault.hint && ` (${fault.hint})`}`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function goTo(fault: Pick<Fault, "row" | "column">): void {
  view.value = viewOf(fault.column);
  const at = columns(robot.value, view.value).findIndex((c) => c.address === fault.column);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${fault.row}"][data-column="${Math.max(at, 0)}"]`)?.focus());
}

function Warnings(): JSX.Element | null {
  if (!warnings.value.length) return null;
  return (
    <ul class="warnings">
      {warnings.value.map((warning, i) => (
        <li key={`${i}${warning.message}`}>
          <span>
            <Lead fault={warning} />
            {warning.problem}
          </span>
          {warning.fix && (
            <Act onClick={() => edit((d) => ({ ...d, ...warning.fix }))}>{t("Read the numbers in {0}", Object.values(warning.fix).join())}</Act>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Table(): JSX.Element {
  const document = robot.value;
  const shown = columns(document, view.value);
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t("Table of joints")}>
        <table class={`cells ${view.value}`}>
          <thead>
            <tr>
              <th scope="col">#</th>
              <th scope="col">{t("type")}</th>
              {shown.map((column) => (
                <th scope="col" key={column.address} title={column.about}>
                  {column.title} <span class="unit">({column.unit})</span>
                </th>
              ))}
              <th scope="col">
                <span class="unseen">{t("change the order")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {document.rows.map((_, row) => (
              <TableRow key={row} document={document} row={row} shown={shown} />
            ))}
          </tbody>
        </table>
      </div>
      <Faults />
      <Warnings />
      <Act onClick={() => edit((d) => inserted(d, d.rows.length))}>{t("Add joint")}</Act>
    </>
  );
}
