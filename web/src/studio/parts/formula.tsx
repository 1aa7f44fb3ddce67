// LaTeX on the screen; what cannot be set is shown as its text.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { typeset } from "../../shared/typeset";

export function Formula({ tex, block = false }: { tex: string; block?: boolean }): JSX.Element {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => void (host.current && typeset(host.current, tex)), [tex]);
  return <span class={block ? "formula block" : "formula"} ref={host} />;
}
