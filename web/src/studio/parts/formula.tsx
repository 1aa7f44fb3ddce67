// LaTeX on the screen; what cannot be set is shown as its text.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { typeset } from "../../shared/typeset";

export function Formula({ tex }: { tex: string }): JSX.Element {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => void (host.current && typeset(host.current, tex)), [tex]);
  return <span class="formula" ref={host} />;
}

/** Words with formulas between dollars. */
export function Prose({ text }: { text: string }): JSX.Element {
  const parts = text.split("$");
  return <>{parts.map((part, i) => (i % 2 ? <Formula key={i} tex={part} /> : part))}</>;
}
