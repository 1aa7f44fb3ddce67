// One cell: what is typed is the document at once; arrows and Enter go from cell to cell; a pasted block spreads.
import type { JSX } from "preact";
import { t } from "../language";

export interface Place {
  row: number;
  column: number;
}

interface Props {
  place: Place;
  label: string;
  value: string;
  fault: string; // id of the sentence that says what is wrong, or ""
  onInput: (text: string) => void;
  onPaste: (text: string) => boolean; // true: it was a block and is done
  onFocus: () => void;
  onBlur: () => void;
  onEnd: () => void; // Enter in the last row: there is no cell below yet
}

const selector = ({ row, column }: Place): string => `[data-row="${row}"][data-column="${column}"]`;

/** Moves the focus; true where there is a cell. */
export function focusCell(table: Element | null, place: Place): boolean {
  const cell = table?.querySelector<HTMLInputElement>(selector(place));
  cell?.focus();
  cell?.select?.();
  return cell != null;
}

// left and right leave a field only from its ends: inside they belong to the text
function target(event: KeyboardEvent, { row, column }: Place): Place | null {
  const field = event.currentTarget as HTMLInputElement;
  const start = field.selectionStart === 0 && (field.selectionEnd === 0 || field.selectionEnd === field.value.length);
  const end = field.selectionEnd === field.value.length;
  if (event.key === "ArrowUp") return { row: row - 1, column };
  if (event.key === "ArrowDown" || event.key === "Enter") return { row: row + (event.shiftKey ? -1 : 1), column };
  // to the first cell of the next row, past the buttons; backwards Tab is the browser's, so that they stay in reach
  if (event.key === "Tab" && !event.shiftKey && !field.closest("tr")?.querySelector(selector({ row, column: column + 1 }))) return { row: row + 1, column: 0 };
  if (event.key === "ArrowLeft" && start) return { row, column: column - 1 };
  if (event.key === "ArrowRight" && end) return { row, column: column + 1 };
  return null;
}

export function Cell({ place, label, value, fault, onInput, onPaste, onFocus, onBlur, onEnd }: Props): JSX.Element {
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = target(event, place);
    if (to && focusCell(event.currentTarget.closest("table"), to)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey) onEnd();
  };
  return (
    <input
      type="text"
      autocomplete="off"
      spellcheck={false}
      data-row={place.row}
      data-column={place.column}
      aria-label={label}
      aria-invalid={fault !== ""}
      aria-describedby={fault || undefined}
      title={fault ? t("see the sentence below") : undefined}
      value={value}
      onInput={(e) => onInput(e.currentTarget.value)}
      onPaste={(e) => onPaste(e.clipboardData?.getData("text/plain") ?? "") && e.preventDefault()}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={onBlur}
    />
  );
}
