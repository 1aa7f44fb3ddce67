// Branches as a person reads them: the module says English, degrees, m and mm; the page its language and its units.
import type { Branch, Drawing } from "./types";
import type { Chain } from "../viewer/chain";
import { postures } from "./postures";
import { METRES, type Units } from "./units";
import { t } from "./words";


const TURN = 180 / Math.PI;
const short = (value: number): string => String(Number(value.toPrecision(4)));

const angle = (degrees: number, { angle: unit }: Units): string => (unit === "deg" ? `${degrees}°` : `${short(degrees / TURN)} rad`);
const metres = (value: number, { length }: Units): string => (length === "m" ? `${value} m` : `${short(value / METRES[length])} ${length}`);

/** 12.5° or 0.3 m or 4 mm, as the module writes them, in these units. */
function amount(text: string, own: Units): string {
  const value = Number.parseFloat(text);
  if (text.endsWith("°")) return angle(value, own);
  return text.endsWith(" mm") ? `${value} mm` : metres(value, own);
}

const OUTSIDE = /^joint (\d+) at (.+) is outside its limits \[(.+), (.+)\] by (.+)$/;
const LOST = /^out of reach: this branch ends (\S+) mm away(?: and turned by (\S+)°)?$/;
const TWIN = /^the same as branch (\d+): (.+)$/;

function piece(text: string, own: Units): string {
  const outside = OUTSIDE.exec(text);
  if (outside) {
    const [at, low, high, over] = outside.slice(2).map((part) => amount(part, own)) as [string, string, string, string];
    return t("joint {0} at {1} is outside its limits [{2}, {3}] by {4}", outside[1]!, at, low, high, over);
  }
  const lost = LOST.exec(text);
  if (lost?.[2]) return t("out of reach: this branch ends {0} mm away and turned by {1}", lost[1]!, angle(Number(lost[2]), own));
  if (lost) return t("out of reach: this branch ends {0} mm away", lost[1]!);
  const twin = TWIN.exec(text);
  return twin ? t("the same as branch {0}: {1}", twin[1]!, t(twin[2]!)) : t(text);
}

/** Why a branch is refused. */
export const refusal = (reason: string, own: Units): string =>
  reason === "" ? "" : reason.split("; ").map((text) => piece(text, own)).join("; ");

/** elbow up, wrist −: every role with its own word. */
export const branchName = (name: string): string => name.replace(/[a-z]+(?: [a-z]+)*/g, (word) => t(word));

/** Names and reasons of all branches; with the words of the book for the signs, where a chain shows them. */
export function inWords(branches: Branch[], own: Units, drawing: Drawing | null, chain: Chain | null): Branch[] {
  const said = drawing && chain ? postures(branches, drawing, chain) : branches.map(({ name }) => name);
  return branches.map((one, i) => ({ ...one, name: branchName(said[i]!), reason: refusal(one.reason, own) }));
}

const CHANGED = /^branch changed: (.*) → (.*)$/;

/** What the viewer says while the tool is dragged. */
export function dragged(text: string): string {
  const changed = CHANGED.exec(text);
  return changed ? t("branch changed: {0} → {1}", branchName(changed[1]!), branchName(changed[2]!)) : t(text);
}
