"""What the page's script costs while an arm moves, in software WebGL: a slider's step, a tool dragged round a circle.

    python bench/viewer.py [ROBOT]

A picture's own time is the browser's and the machine's; the script's share is ours. Needs Chromium, playwright and the
built page (`make web`).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import manipula as mp
from manipula.pages.page import built_file

MOVES = 300
SLIDER = """async () => {
  const start = [...V.q]; let script = 0, worst = 0;
  for (let k = 0; k < %d; k++) {
    const before = performance.now();
    V.setQ(start.map((x, c) => x + 0.3 * Math.sin(k / 20 + c)));
    const own = performance.now() - before;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    script += own + V.stage.script; worst = Math.max(worst, own + V.stage.script);
  }
  V.setQ(start); return [script / %d, worst, V.stage.software];
}"""
DRAG = """() => {
  const T = V.poses().at(-1), r = 0.08, start = performance.now(); let last = [...V.q], jump = 0, lost = 0;
  for (let k = 1; k <= %d; k++) {
    const a = 2 * Math.PI * k / %d, target = T.map(row => [...row]);
    target[0][3] += r * (Math.cos(a) - 1); target[1][3] += r * Math.sin(a);
    const parameter = M.redundancy_parameter?.(V.q);
    const found = M.inverse_kinematics(target, undefined, {near: V.q, parameter, limits: true});
    if (found.nearest < 0) { lost++; continue; }
    V.setQ(found.branches[found.nearest].q);
    jump = Math.max(jump, ...V.q.map((x, c) => Math.abs(x - last[c]))); last = [...V.q];
  }
  return [(performance.now() - start) / %d, jump, lost];
}"""


def main(name: str) -> None:
    handed = json.dumps({"drawing": mp.drawing(name), "module": mp.robot_module(name, optimise="none")})
    script = built_file("report.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    browser = next(found for word in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(word)))
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        head = '<!doctype html><meta charset="utf-8"><div id="arm" style="width:800px;height:700px"></div>'
        path.write_text(f"{head}<script>{script}</script>", encoding="utf-8")
        page = driver.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        ).new_page()
        page.goto(path.as_uri())
        page.evaluate(
            "async text => { const handed = JSON.parse(text); window.V = new manipula.Viewer(arm);"
            "V.setDrawing(handed.drawing); window.M = await manipula.moduleOf(handed.module);"
            "V.setModule(M); V.stage.full(); }",
            handed,
        )
        mean, worst, software = page.evaluate(SLIDER % (MOVES, MOVES))
        print(f"{name}: {'software' if software else 'hardware'} WebGL, 800 × 700")
        print(f"  a slider's step: {mean:.2f} ms of script, {worst:.1f} at most (16 is a frame)")
        if page.evaluate("!!M.inverse_kinematics"):
            mean, jump, lost = page.evaluate(DRAG % (MOVES, MOVES, MOVES))
            print(f"  a move of the dragged tool: {mean:.2f} ms, largest joint step {jump:.3f}, {lost} of {MOVES} lost")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "panda")
