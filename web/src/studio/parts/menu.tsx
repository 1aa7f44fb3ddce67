// A button with a list of acts (WAI-ARIA menu button): arrows, Home, End, Escape.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  hint: string;
  items: readonly (readonly [title: string, act: () => void])[];
}

export function Menu({ label, hint, items }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useEffect(() => {
    if (!open) return undefined;
    entries()[0]?.focus();
    const away = (event: Event): void => void (box.current?.contains(event.target as Node) || setOpen(false));
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const list = entries();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (next !== undefined && open) list.at(next % list.length)?.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button type="button" class="act name" aria-haspopup="menu" aria-expanded={open} title={hint} onClick={() => setOpen(!open)}>
        <span class="clip" title={label}>
          {label}
        </span> <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div role="menu" aria-label={hint}>
          {items.map(([title, act]) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={title}
              onClick={() => {
                close();
                act();
              }}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
