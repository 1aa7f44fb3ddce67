// That something was proved, in a sentence; how, for who asks.
import type { JSX } from "preact";
import { t } from "../language";

export function Proof({ error_exponent, proof }: { error_exponent: number; proof: string }): JSX.Element {
  return (
    <details class="proof quiet">
      <summary>{t("Proved equal to the reference model (error probability below {0}).", `1e${error_exponent}`)}</summary>
      <p>{t("Both were computed at points drawn at random, with whole numbers modulo the prime 2^61 − 1, where nothing is rounded: two formulas that differ would differ there.")}</p>
      <p>{proof}</p>
    </details>
  );
}
