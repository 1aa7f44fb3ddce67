// A heading that folds what is below it; what is folded stays so.
import type { JSX } from "preact";
import { fold, isFolded } from "../state/layout";

export function FoldingTitle({ name, title }: { name: string; title: string }): JSX.Element {
  const folded = isFolded(name);
  return (
    <h2>
      <button type="button" class="folding" aria-expanded={!folded} onClick={() => fold(name, !folded)}>
        <span aria-hidden="true">{folded ? "▸" : "▾"}</span> {title}
      </button>
    </h2>
  );
}
