// Tabs by the book (WAI-ARIA): one stop of the Tab key, arrows between tabs, Home and End.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Tab {
  id: string;
  title: string;
}

interface Props {
  tabs: Tab[];
  chosen: string;
  onChoose: (id: string) => void;
  label: string;
  children: ComponentChildren;
}

const STEPS: Record<string, (i: number, n: number) => number> = {
  ArrowRight: (i, n) => (i + 1) % n,
  ArrowLeft: (i, n) => (i + n - 1) % n,
  Home: () => 0,
  End: (_, n) => n - 1,
};

export function Tabs({ tabs, chosen, onChoose, label, children }: Props): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector(`#tab-${chosen}`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [chosen, tabs.length]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[step(tabs.findIndex((tab) => tab.id === chosen), tabs.length)]!;
    onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <section class="tabbed">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.id}
            id={`tab-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls="tab-body"
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div class="tab-body" id="tab-body" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </section>
  );
}
