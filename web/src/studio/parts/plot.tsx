// Lines over time; a cursor of the arm's present time would need the plot to redraw, so the arm's time stands in words.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { plot, type Lines, type Plot as Drawn } from "../../shared/plot";

export function Plot({ lines, height = 200 }: { lines: Lines; height?: number }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let drawn: Drawn | null = null;
    let gone = false;
    if (host.current)
      void plot(host.current, lines, height).then((made) => {
        if (gone) made.dispose();
        else drawn = made;
      });
    return () => {
      gone = true;
      drawn?.dispose();
    };
  }, [lines, height]);
  return <div class="plot" ref={host} />;
}

export const columnsOf = (rows: number[][]): number[][] => (rows[0] ?? []).map((_, j) => rows.map((row) => row[j]!));
