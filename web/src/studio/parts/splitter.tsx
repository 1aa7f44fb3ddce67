// A divider (WAI-ARIA window splitter): dragged by a pointer, moved by arrows, Home and End; a double click or Enter resets it.
import type { JSX } from "preact";

interface Props {
  label: string;
  share: number; // per cent of what is left of it, or above it
  least: number;
  lying?: boolean; // between what is above and what is below
  onMove: (share: number) => void;
  onReset: () => void;
}

export function Splitter({ label, share, least, lying, onMove, onReset }: Props): JSX.Element {
  const dragged = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const whole = event.currentTarget.parentElement!.getBoundingClientRect();
    onMove(100 * (lying ? (event.clientY - whole.top) / whole.height : (event.clientX - whole.left) / whole.width));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [less, more] = lying ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const to = { [less]: share - 2, [more]: share + 2, Home: least, End: 100 - least }[event.key];
    if (to === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (to === undefined) onReset();
    else onMove(to);
  };
  return (
    <div
      class={lying ? "splitter lying" : "splitter"}
      role="separator"
      tabIndex={0}
      aria-orientation={lying ? "horizontal" : "vertical"}
      aria-label={label}
      aria-valuenow={Math.round(share)}
      aria-valuemin={least}
      aria-valuemax={100 - least}
      title={label}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={dragged}
      onDblClick={onReset}
      onKeyDown={onKeyDown}
    />
  );
}
