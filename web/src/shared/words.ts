// What pages say: English in the source, other languages as data keyed by the English sentence.
import portuguese from "./portuguese.json";

export type Language = "en" | "pt";
export const LANGUAGES: readonly string[] = ["en", "pt"] satisfies Language[];

const catalogues: Record<Language, Readonly<Record<string, string>>> = { en: {}, pt: portuguese };
let spoken: () => Language = () => "en";

/** The page says which language it speaks. */
export function speak(language: () => Language): void {
  spoken = language;
}

/** The sentence in the page's language; `{0}`, `{1}` … take the values. */
export function t(text: string, ...values: (string | number)[]): string {
  const said = catalogues[spoken()][text] ?? text;
  return values.length ? said.replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)])) : said;
}

/** A number of things: one form for one, another for the others. */
export const counted = (one: string, many: string, n: number): string => t(n === 1 ? one : many, n);
