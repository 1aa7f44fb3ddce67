// A native modal dialog: the browser keeps the focus inside and Escape closes it.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../language";
import { Act } from "./controls";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, wide }: Props): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const last = document.activeElement;
    box.current?.showModal();
    // the focus goes back, unless what closed the dialog has put it elsewhere
    return () => void (document.activeElement === document.body && last instanceof HTMLElement && last.focus());
  }, []);
  return (
    <dialog ref={box} class={wide ? "wide" : ""} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <Act kind="icon" label={t("Close")} onClick={() => box.current?.close()}>
          ×
        </Act>
      </header>
      {children}
    </dialog>
  );
}
