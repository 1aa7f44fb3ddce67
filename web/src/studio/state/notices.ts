// Short sentences at the foot of the page: what was done, what went wrong. Screen readers hear them (role status).
import { signal } from "@preact/signals";

export interface Notice {
  text: string;
  kind: "done" | "wrong";
}

const SHOWN_MS = 6000;
export const notice = signal<Notice | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, kind: Notice["kind"] = "done"): void {
  clearTimeout(timer);
  notice.value = { text, kind };
  if (kind === "done") timer = setTimeout(() => (notice.value = null), SHOWN_MS);
}

export const hush = (): void => void (notice.value = null);
