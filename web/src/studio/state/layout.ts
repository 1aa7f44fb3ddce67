// How the window is shared: the width of the arm, the height of the table, and what is folded away. Kept in the browser.
import { effect, signal } from "@preact/signals";

export const NARROWEST = 25; // per cent of the window, of either side
export const USUAL = 51;
export const LOWEST = 15; // per cent of the column, of the table and of the panels
export const HIGHEST = 44; // a table is as high as its rows, up to this share of the window, unless somebody says

interface Layout {
  arm: number; // per cent of the width
  table: number | null; // per cent of the height; null: as its rows need
  alone: boolean; // the arm has the whole window
  folded: Readonly<Record<string, boolean>>;
}

function kept(): Layout {
  const usual: Layout = { arm: USUAL, table: null, alone: false, folded: {} };
  try {
    const found = { ...usual, ...(JSON.parse(localStorage.getItem("manipula.layout") ?? "{}") as Partial<Layout>) };
    const table = Number.isFinite(found.table) ? within(found.table!, LOWEST) : null;
    return Number.isFinite(found.arm) ? { ...found, arm: within(found.arm, NARROWEST), table } : usual;
  } catch {
    return usual;
  }
}

const within = (share: number, least: number): number => Math.min(100 - least, Math.max(least, share));

export const layout = signal<Layout>(kept());

export const widen = (share: number): void => void (layout.value = { ...layout.value, arm: within(share, NARROWEST) });
export const heighten = (share: number | null): void => void (layout.value = { ...layout.value, table: share === null ? null : within(share, LOWEST) });
export const standAlone = (alone: boolean): void => void (layout.value = { ...layout.value, alone });
export const isFolded = (name: string): boolean => layout.value.folded[name] ?? false;
export const fold = (name: string, on: boolean): void => void (layout.value = { ...layout.value, folded: { ...layout.value.folded, [name]: on } });

export function keepLayout(): void {
  effect(() => localStorage.setItem("manipula.layout", JSON.stringify(layout.value)));
}
