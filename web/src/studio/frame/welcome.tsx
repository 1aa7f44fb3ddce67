// The first run: something moves, and four ways to begin.
import type { JSX } from "preact";
import { dialog } from "../dialogs/which";
import { t } from "../language";
import { Act } from "../parts/controls";
import { lastOfOthers } from "../state/kept";
import { start } from "../state/start";
import { open, welcome } from "../state/work";

function last(): { name: string; resume: () => void } | null {
  const here = lastOfOthers();
  const there = start.value?.drafts.toSorted((a, b) => b.saved - a.saved)[0] ?? null;
  if (here && (!there || here.saved >= there.saved))
    return { name: here.document.name, resume: () => open(here.document, here.file) };
  if (!there) return null;
  const from = there.file !== null && there.base !== null ? { name: there.file, base: there.base } : null;
  return { name: there.document.name, resume: () => open(there.document, from) };
}

export function Welcome(): JSX.Element | null {
  if (!welcome.value) return null;
  const earlier = last();
  return (
    <nav class="welcome" aria-label={t("Begin")}>
      <p>{t("Type a table and see the arm move, its equations, its code.")}</p>
      <div class="line">
        <Act kind="main" onClick={() => (dialog.value = "new")}>
          {t("New")}
        </Act>
        <Act onClick={() => (dialog.value = "paste")}>{t("Paste a table")}</Act>
        <Act onClick={() => (dialog.value = "open")}>{t("Open")}</Act>
        <Act onClick={() => (dialog.value = "library")}>{t("Library")}</Act>
        {earlier && <Act onClick={earlier.resume}>{t("Go on with {0}", earlier.name)}</Act>}
      </div>
    </nav>
  );
}
