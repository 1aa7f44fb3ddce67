// Light or dark as the machine has it, and whether the page is narrow: what the layout depends on.
import { effect, signal } from "@preact/signals";

function watched(query: string): ReturnType<typeof signal<boolean>> {
  const list = matchMedia(query);
  const value = signal<boolean>(list.matches);
  list.addEventListener("change", () => (value.value = list.matches));
  return value;
}

export const narrow = watched("(max-width: 820px)");
export const still = watched("(prefers-reduced-motion: reduce)");
const machineDark = watched("(prefers-color-scheme: dark)");
export type Theme = "auto" | "light" | "dark";
export const theme = signal<Theme>((localStorage.getItem("manipula.theme") as Theme | null) ?? "auto");
export const dark = signal(false);

export function followTheme(): void {
  effect(() => {
    dark.value = theme.value === "auto" ? machineDark.value === true : theme.value === "dark";
    document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
    localStorage.setItem("manipula.theme", theme.value);
  });
}
