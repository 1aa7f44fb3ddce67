// The picture: the one viewer of the page, fed by the state; or the reason why it is missing.
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Branch, Ghost } from "../../shared/types";
import { t } from "../language";
import { move, q, shown } from "../state/arm";
import { dragged } from "../state/branch_words";
import { drawing, module, stale, values, waiting } from "../state/drawing";
import { say } from "../state/notices";
import { answers } from "../state/searching";
import { dark } from "../state/theme";
import { chainType, noViewer, viewer } from "../state/viewing";
import { bound } from "../../shared/bound";

type Viewer = import("../../viewer/viewer").Viewer;

// refused answers are seen; why they are refused is shown when one is clicked, and in the panel
const skeleton = ({ name, q, valid, inside }: Branch): Ghost => ({ name, q, valid: valid && inside, reason: "" });

// one effect for each setting of the viewer: a slider sets the position and nothing else
function feed(view: Viewer): () => void {
  const stops = [
    effect(() => void (drawing.value && view.setDrawing(drawing.value))),
    effect(() => view.setModule(module.value && bound(module.value, values.value))),
    effect(() => void (drawing.value?.dof === q.value.length && view.setQ(q.value))),
    effect(() => view.show(shown.value)),
    effect(() => view.theme(dark.value)),
    effect(() => view.setGhosts(shown.value.branches ? (answers.value?.branches ?? []).map(skeleton) : [])),
  ];
  view.onMove((next, why) => move([...next], why));
  view.onGhost((index) => {
    const branch = answers.peek()?.branches[index];
    if (!branch) return;
    if (branch.valid && branch.inside) move([...branch.q], branch.name);
    else say(`${branch.name}: ${branch.reason}`, "wrong");
  });
  view.onSay((text) => say(dragged(text)));
  return () => stops.forEach((stop) => stop());
}

export function Stage(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    void Promise.all([import("../../viewer/viewer"), import("../../viewer/chain")]).then(([{ Viewer }, { Chain }]) => {
      chainType.value = Chain;
      if (gone || !host.current) return;
      try {
        const made = new Viewer(host.current);
        stop = feed(made);
        viewer.value = made;
      } catch (error) {
        noViewer.value = error instanceof Error ? error.message : String(error);
      }
      document.body.dataset["viewer"] = "1";
    });
    return () => {
      gone = true;
      stop?.();
      viewer.value?.dispose();
      viewer.value = null;
    };
  }, []);
  return (
    <div class={`stage ${stale.value ? "stale" : ""}`} aria-busy={waiting.value} data-joints={drawing.value?.dof} data-robot={drawing.value?.name}>
      <div class="host" ref={host} />
      {stale.value && <p class="over">{t("the last table without errors")}</p>}
      {noViewer.value && <p class="over">{t("No picture in three dimensions: {0}", noViewer.value)}</p>}
    </div>
  );
}
