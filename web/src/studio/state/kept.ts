// Nothing is lost: every edit goes into this browser's storage and to the server's drafts.
import { effect, signal } from "@preact/signals";
import type { DraftAnswer, RobotDocument } from "../../shared/api";
import { q } from "./arm";
import { call } from "./server";
import { file, robot, welcome } from "./work";

const PAUSE_MS = 800;
const KEY = "manipula.studio";

export interface Kept {
  document: RobotDocument;
  file: { name: string; base: string; document: RobotDocument } | null;
  q: number[];
  saved: number; // seconds since 1970
}

/** When the last edit was kept, for the header. */
export const keptAt = signal<number | null>(null);

// one name for each tab: two tabs never write over each other's draft; a reload keeps the name
export function tabName(): string {
  const found = sessionStorage.getItem(KEY);
  if (found) return found;
  const made = `page-${crypto.randomUUID().slice(0, 8)}`;
  sessionStorage.setItem(KEY, made);
  return made;
}

/** True where no other tab goes by this name; it is then this tab's until it is closed. */
function held(name: string): Promise<boolean> {
  return new Promise((answer) => {
    if (!navigator.locks) return answer(true);
    const until = (lock: Lock | null): Promise<void> | undefined => {
      answer(lock !== null);
      return lock ? new Promise(() => undefined) : undefined;
    };
    void navigator.locks.request(`${KEY}.${name}`, { ifAvailable: true }, until);
  });
}

/** A tab that was duplicated has its twin's name: it takes one of its own, and a copy of the work. */
export async function claimName(): Promise<void> {
  const name = tabName();
  if (await held(name)) return;
  const before = localStorage.getItem(`${KEY}.${name}`);
  sessionStorage.removeItem(KEY);
  if (before) localStorage.setItem(`${KEY}.${tabName()}`, before);
  await held(tabName());
}

/** What this tab held before it was reloaded, or null. */
export function kept(name = tabName()): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(`${KEY}.${name}`) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

/** The newest work of other tabs of this browser. */
export function lastOfOthers(): Kept | null {
  const others = Object.keys(localStorage)
    .filter((key) => key.startsWith(`${KEY}.page-`) && key !== `${KEY}.${tabName()}`)
    .map((key) => kept(key.slice(KEY.length + 1)))
    .filter((item): item is Kept => item !== null);
  return others.sort((a, b) => b.saved - a.saved)[0] ?? null;
}

const MOST = 12; // drafts in the browser; the oldest goes

function keep(item: Kept): void {
  try {
    localStorage.setItem(`${KEY}.${tabName()}`, JSON.stringify(item));
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${KEY}.page-`));
    const age = (key: string): number => kept(key.slice(KEY.length + 1))?.saved ?? 0;
    for (const key of keys.sort((a, b) => age(b) - age(a)).slice(MOST)) localStorage.removeItem(key);
    keptAt.value = item.saved;
  } catch {
    keptAt.value = null; // storage is full or forbidden: the server's draft is all there is
  }
}

async function send(): Promise<void> {
  const body = { name: tabName(), document: robot.peek(), base: file.peek()?.base ?? null, file: file.peek()?.name ?? null };
  const answer = await call<DraftAnswer>("/api/draft", body).catch(() => null);
  if (answer) keptAt.value = answer.saved ?? Date.now() / 1000;
}

export function keepEverything(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const item: Kept = { document: robot.value, file: file.value, q: q.peek(), saved: Date.now() / 1000 };
    if (welcome.value) return;
    keep(item);
    clearTimeout(timer);
    timer = setTimeout(() => void send(), PAUSE_MS);
  });
  // the position is not an edit, but should be there again after a reload
  addEventListener("pagehide", () => {
    const item = kept();
    if (item) keep({ ...item, q: q.peek() });
  });
}
