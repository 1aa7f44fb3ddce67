// The studio's language is chosen on its page: what reads it is drawn again when it changes.
import { signal } from "@preact/signals";
import { speak, t, type Language } from "../../shared/words";

export { counted, t, type Language } from "../../shared/words";
export const language = signal<Language>("en");
speak(() => language.value);

/** A unit of joints of both kinds: rad/s or m/s. */
export const unitWords = (unit: string): string => unit.replaceAll(" or ", ` ${t("or")} `);
