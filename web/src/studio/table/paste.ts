// A block of cells as spreadsheets, web pages and PDF viewers put it on the clipboard.

/** Rows of cells: tabs first, then Markdown bars, semicolons, commas that are no decimal commas, then runs of blanks. */
export function block(text: string): string[][] {
  const lines = text.replace(/\r/g, "").split("\n").filter((line) => line.trim() !== "");
  return lines.map(cells);
}

function cells(line: string): string[] {
  if (line.includes("\t")) return line.split("\t").map((cell) => cell.trim());
  if (line.includes("|")) return line.replace(/^\s*\||\|\s*$/g, "").split("|").map((cell) => cell.trim());
  if (line.includes(";")) return line.split(";").map((cell) => cell.trim());
  if (line.split(",").length > 2) return line.split(",").map((cell) => cell.trim());
  return line.trim().split(/\s+/);
}

/** More than one cell: to be spread over the table instead of going into one field. */
export const isBlock = (text: string): boolean => {
  const rows = block(text);
  return rows.length > 1 || text.trim().includes("\t");
};

const HEADER = /^(θ|theta|ϑ|d|a|r|α|alpha|type|tipo|joint|junta|link|elo|i|#|name|nome)(\b|_|[([{,]|$)/i;

/** A first row of words means a whole table with its own order of columns: that one the file reader must read. */
export function hasHeader(text: string): boolean {
  const first = block(text)[0] ?? [];
  return first.filter((cell) => HEADER.test(cell)).length >= 2;
}

/** LaTeX, or Python of another library: a whole table that the file reader must read. */
export const isOther = (text: string): boolean => /\\begin\s*\{|\\\\|\b(Revolute|Prismatic)M?DH\s*\(|\bDHLink\s*\(/.test(text);
