// LaTeX made for paper, on a screen: equations one by one, each in lines as long as there is room.

/** LaTeX without environments: `\\left(` as `(`, so that a line may break inside. */
export const breakable = (tex: string): string =>
  tex.replace(/\\(left|right)\s*([()[\]|.])/g, (_, __, bracket: string) => (bracket === "." ? "" : bracket));

const ALIGNED = /^\s*\\begin\{aligned\}([\s\S]*)\\end\{aligned\}\s*$/;
const GOES_ON = /^&\s*\\quad/; // a row that is the rest of the one before

/** The equations of an `aligned` block; nothing where a row cannot stand alone. */
export function equationsOf(tex: string): string[] | null {
  const body = ALIGNED.exec(tex)?.[1];
  if (body === undefined || body.includes("\\begin")) return null;
  const found: string[] = [];
  for (const row of body.split("\\\\").map((text) => text.trim()).filter(Boolean))
    if (GOES_ON.test(row) && found.length) found[found.length - 1] += ` ${row.replace(GOES_ON, "").trim()}`;
    else found.push(row);
  return found.map((row) => breakable(row.replace(/&/g, "").replace(/\\frac/g, "\\dfrac")));
}
