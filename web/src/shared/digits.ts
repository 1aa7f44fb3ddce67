// Numbers in equations as an eye can take them in: six digits. Copies and files keep every digit.
const KEPT = 6;
const EXACT = 10_000; // a fraction of smaller numbers is what somebody wrote

/** A decimal without its leading zeros and its point. */
const digits = (text: string): number => text.replace(".", "").replace(/^0+/, "").length;

function written(value: number): string {
  const text = value.toPrecision(KEPT);
  const [head = "", power] = text.split("e");
  const short = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
  return power === undefined ? short : `${short}\\cdot 10^{${Number(power)}}`;
}

/** LaTeX with every decimal of more digits, and every fraction of large numbers, rounded. */
export function rounded(tex: string): string {
  return tex
    .replace(/\\d?frac\{(\d+)\}\{(\d+)\}/g, (all, above: string, below: string) =>
      Math.max(Number(above), Number(below)) > EXACT && Number(below) > 0 ? written(Number(above) / Number(below)) : all)
    .replace(/(?<![\d.])\d+\.\d+(?![\d.])/g, (text) => (digits(text) > KEPT || Number(text) < 1e-6 ? written(Number(text)) : text));
}
