// A divider (WAI-ARIA window splitter): dragged by a pointer, moved by arrows, Home and End; a double click or Enter resets it.
import type { JSX } from "preact";

interface Props {
  label: string;
  share: number; // per cent of what is left of it
  least: number;
  usual: number;
  onMove: (share: number) => void;
}

export function Splitter({ label, share, least, usual, onMove }: Props): JSX.Element {
  const dragged = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const whole = event.currentTarget.parentElement!.getBoundingClientRect();
    onMove((100 * (event.clientX - whole.left)) / whole.width);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: share - 2, ArrowRight: share + 2, Home: least, End: 100 - least, Enter: usual }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onMove(to);
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(share)}
      aria-valuemin={least}
      aria-valuemax={100 - least}
      title={label}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={dragged}
      onDblClick={() => onMove(usual)}
      onKeyDown={onKeyDown}
    />
  );
}
