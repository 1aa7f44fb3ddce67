// Which dialog is open; one at a time.
import { signal } from "@preact/signals";

export type DialogName = "new" | "paste" | "library" | "open" | "save" | "share" | "help" | "settings";
export const dialog = signal<DialogName | null>(null);
export const shut = (): void => void (dialog.value = null);
