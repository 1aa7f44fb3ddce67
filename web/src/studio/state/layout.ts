// How the window is shared: the width of the arm, and what is folded away. Kept in the browser.
import { effect, signal } from "@preact/signals";

export const NARROWEST = 25; // per cent of the window, of either side
export const USUAL = 51;

interface Layout {
  arm: number; // per cent of the width
  alone: boolean; // the arm has the whole window
  folded: Readonly<Record<string, boolean>>;
}

function kept(): Layout {
  const usual: Layout = { arm: USUAL, alone: false, folded: {} };
  try {
    const found = { ...usual, ...(JSON.parse(localStorage.getItem("manipula.layout") ?? "{}") as Partial<Layout>) };
    return Number.isFinite(found.arm) ? { ...found, arm: within(found.arm) } : usual;
  } catch {
    return usual;
  }
}

const within = (share: number): number => Math.min(100 - NARROWEST, Math.max(NARROWEST, share));

export const layout = signal<Layout>(kept());

export const widen = (share: number): void => void (layout.value = { ...layout.value, arm: within(share) });
export const standAlone = (alone: boolean): void => void (layout.value = { ...layout.value, alone });
export const isFolded = (name: string): boolean => layout.value.folded[name] ?? false;
export const fold = (name: string, on: boolean): void => void (layout.value = { ...layout.value, folded: { ...layout.value.folded, [name]: on } });

export function keepLayout(): void {
  effect(() => localStorage.setItem("manipula.layout", JSON.stringify(layout.value)));
}
