// Branches in the studio's words: in the units of the table, and as the arm on the stage shows them.
import * as words from "../../shared/branch_words";
import type { Branches } from "../../shared/types";
import { drawing } from "./drawing";
import { chainType } from "./viewing";
import { units } from "./work";

export { branchName, dragged } from "../../shared/branch_words";

export function inWords(found: Branches): Branches {
  const picture = drawing.value;
  const chain = picture && chainType.value ? new chainType.value(picture) : null;
  return { ...found, branches: words.inWords(found.branches, units.value, picture, chain) };
}
