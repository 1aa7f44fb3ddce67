// Multiplications and additions as one bar of two parts; the numbers stand beside it as text.
import type { JSX } from "preact";

const WIDTH = 300;

export function Bar({ mul, add, most }: { mul: number; add: number; most: number }): JSX.Element {
  const size = (n: number): number => (WIDTH * n) / Math.max(most, 1);
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} 14`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="mul" x="0" y="1" width={size(mul)} height="12" />
      <rect class="add" x={size(mul)} y="1" width={size(add)} height="12" />
    </svg>
  );
}
