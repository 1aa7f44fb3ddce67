// The one viewer of the page, when it has been loaded: panels point at links through it.
import { signal } from "@preact/signals";
import type { Chain } from "../../viewer/chain";
import type { Viewer } from "../../viewer/viewer";

export const viewer = signal<Viewer | null>(null);
/** Links placed by the drawing alone: for as long as the module is on its way. */
export const chainType = signal<typeof Chain | null>(null);
/** Why there is no picture in three dimensions; the drawing is then shown flat. */
export const noViewer = signal("");

/** The panel that is open; "" the first. */
export const tab = signal("");
