// What the page says: English in the source, other languages as data keyed by the English sentence.
import { signal } from "@preact/signals";
import portuguese from "./portuguese.json";

export type Language = "en" | "pt";
export const language = signal<Language>("en");

const catalogues: Record<Language, Readonly<Record<string, string>>> = { en: {}, pt: portuguese };

/** The sentence in the page's language; `{0}`, `{1}` … take the values. */
export function t(text: string, ...values: (string | number)[]): string {
  const said = catalogues[language.value][text] ?? text;
  return values.length ? said.replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)])) : said;
}

/** A unit of joints of both kinds: rad/s or m/s. */
export const unitWords = (unit: string): string => unit.replaceAll(" or ", ` ${t("or")} `);

/** A number of things: one form for one, another for the others. */
export const counted = (one: string, many: string, n: number): string => t(n === 1 ? one : many, n);
