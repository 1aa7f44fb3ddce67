// Elements in one line each.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number | boolean> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children.filter((child): child is Node | string => child !== null));
  return made;
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const made = el("button", { type: "button" }, text);
  made.addEventListener("click", act);
  return made;
}

export function checkbox(text: string, on: boolean, act: (on: boolean) => void): HTMLLabelElement {
  const box = el("input", { type: "checkbox", checked: on });
  box.addEventListener("change", () => act(box.checked));
  return el("label", { class: "check" }, box, ` ${text}`);
}

/** A value as people read it: degrees where a joint turns, metres where it slides. */
export const DEGREES = 180 / Math.PI;

export function told(value: number, unit: "rad" | "m"): string {
  return unit === "rad" ? `${(value * DEGREES).toFixed(1)}°` : `${value.toFixed(3)} m`;
}
