"""The questions on a page that checks answers alone: a small reader of formulas in JavaScript, nothing loaded.

A formula is compared with the solution's values at random points; of a wrong one the page says whether its sign is
opposite, or it is off by a factor or a constant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from manipula.algebra.show.notation import Script
from manipula.pages.steps import Told
from manipula.worksheets.questions import CLOSE, NEAR, WorksheetQuestion

SHEET_STYLE = """
.question { margin: 1rem 0; padding: .6rem .8rem; border: 1px solid #8885; border-radius: 8px; }
.question form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
.question input { flex: 1 1 14rem; min-width: 0; font: inherit; padding: .35rem .5rem; }
.question button { font: inherit; padding: .35rem .9rem; }
.question output { flex-basis: 100%; min-height: 1.4em; }
.right { color: #1b6b2c; } .wrong { color: #a32020; } .given { color: #666; }
@media (prefers-color-scheme: dark) { .right { color: #8fd19e; } .wrong { color: #ff9a9a; } .given { color: #aaa; } }
@media print { .question form { display: none; } .question::after { content: ""; display: block; height: 3cm; } }
"""
WORDS = {
    "right": "Right.",
    "sign": "Not equal: the sign is opposite.",
    "factor": "Not equal: off by a constant factor.",
    "constant": "Not equal: off by a constant.",
    "wrong": "Not equal.",
    "unread": "This cannot be read: write products with *, as in l1*c1 + l2*c12.",
    "name": "This is not a name of this arm:",
    "count": "Expected so many numbers:",
    "empty": "Type an answer first.",
}


def question_html(
    one: WorksheetQuestion, script: Script, told: Told, stated: str, samples: Sequence[tuple[dict[str, float], float]],
    answer: str, arm: Mapping[str, Any] | None,
) -> str:  # fmt: skip
    """The text, a field for the answer, and what the page compares it with."""
    data = {
        "kind": one.kind,
        "samples": [[point, value] for point, value in samples],
        "value": one.solution if one.kind == "number" else None,
        "near": NEAR,
        "close": CLOSE,
        "arm": arm,
        "words": {key: told(text) for key, text in WORDS.items()},
    }
    given = f'<p class="given">{escape(stated)}</p>' if stated else ""
    left = script.inline(script.notation(one.left))
    shown = f'<p class="right">{left} <math><mo>=</mo>{answer}</math></p>' if answer and one.kind == "formula" else (
        f'<p class="right">{left} = {escape(answer)}</p>' if answer else "")  # fmt: skip
    packed = escape(json.dumps(data), quote=True)
    label = told("your answer")
    field = f'<input aria-label="{one.key}: {escape(label)}" autocomplete="off" spellcheck="false">'
    button = f"<button>{escape(told('Check'))}</button>"
    return (
        f'<div class="question" data-question="{packed}"><p><b>{one.key}</b> {one.asks.sentence(script, told)}</p>'
        f'{given}{shown}<form><span>{left} =</span>{field}{button}<output aria-live="polite"></output></form></div>'
    )


SCRIPT = r"""
"use strict";
// formulas: a reader by recursive descent; names are looked up, nothing is run
function parse(text) {
  const signs = { "·": "*", "×": "*", "−": "-", "θ": "theta", "²": "^2", "³": "^3" };
  const clean = text.slice(text.lastIndexOf("=") + 1).replace(/[·×−θ²³]/g, (s) => signs[s])
    .replace(/[₀-₉]/g, (d) => String(d.charCodeAt(0) - 0x2080)).replace(/\*\*/g, "^");
  const tokens = clean.match(/\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z_]\w*|[-+*\/^(),]|\S/g) || [];
  let at = 0;
  const peek = () => tokens[at], take = (x) => { if (tokens[at] !== x) throw "unread"; at++; };
  function sum() {
    let a = product();
    while (peek() === "+" || peek() === "-") {
      const op = tokens[at++], l = a, r = product();
      a = op === "+" ? (v) => l(v) + r(v) : (v) => l(v) - r(v);
    }
    return a;
  }
  function product() {
    let a = sign();
    for (;;) {
      const t = peek();
      if (t === "*" || t === "/") {
        at++;
        const l = a, r = sign();
        a = t === "*" ? (v) => l(v) * r(v) : (v) => l(v) / r(v);
      } else if (/^\d/.test(tokens[at - 1] || "") && t !== undefined && /^[A-Za-z(]/.test(t)) { // 2l1 is 2*l1
        const l = a, r = power();
        a = (v) => l(v) * r(v);
      } else return a;
    }
  }
  function sign() {
    if (peek() === "-") { at++; const a = sign(); return (v) => -a(v); }
    if (peek() === "+") { at++; return sign(); }
    return power();
  }
  function power() {
    const a = atom();
    if (peek() !== "^") return a;
    at++;
    const b = sign();
    return (v) => Math.pow(a(v), b(v));
  }
  const functions = { sin: Math.sin, cos: Math.cos, sqrt: Math.sqrt, atan2: Math.atan2 };
  function atom() {
    const t = peek();
    if (t === undefined) throw "unread";
    if (t === "(") { at++; const a = sum(); take(")"); return a; }
    if (/^[\d.]/.test(t)) { at++; const n = Number(t); if (!isFinite(n)) throw "unread"; return () => n; }
    if (!/^[A-Za-z_]/.test(t)) throw "unread";
    at++;
    if (peek() === "(" && Object.hasOwn(functions, t)) {
      at++;
      const args = [sum()];
      while (peek() === ",") { at++; args.push(sum()); }
      take(")");
      return (v) => functions[t](...args.map((a) => a(v)));
    }
    return (v) => named(t, v);
  }
  const whole = sum();
  if (at < tokens.length) throw "unread";
  return whole;
}
function named(name, v) {
  if (Object.hasOwn(v, name)) return v[name];
  let m = /^([cs])((?:_?m?\d)+)$/.exec(name);
  if (m) {
    let angle = 0;
    const places = m[2].includes("_") ? /(m?)(\d+)/g : /(m?)(\d)/g;
    for (const part of m[2].matchAll(places)) angle += (part[1] ? -1 : 1) * named("q" + part[2], v);
    return m[1] === "c" ? Math.cos(angle) : Math.sin(angle);
  }
  m = /^(?:theta|th|q|d)(d{0,2})_?(\d+)$/.exec(name);
  if (m && Object.hasOwn(v, "q" + m[1] + m[2])) return v["q" + m[1] + m[2]];
  if (name === "pi") return Math.PI;
  throw ["name", name];
}
const near = (a, b, scale) => Math.abs(a - b) <= 1e-8 * Math.max(1, scale);
function judge(q, text) {
  const w = q.words;
  if (!text.trim()) return [false, w.empty];
  if (q.kind === "formula") {
    const f = parse(text), pairs = q.samples.map(([point, want]) => [f(point), want]);
    const size = Math.max(...pairs.map(([, b]) => Math.abs(b)));
    if (pairs.every(([a, b]) => near(a, b, size))) return [true, w.right];
    if (pairs.every(([a, b]) => near(-a, b, size))) return [false, w.sign];
    const r = pairs[0][0] / pairs[0][1], d = pairs[0][0] - pairs[0][1];
    if (isFinite(r) && pairs.every(([a, b]) => near(a, r * b, size))) return [false, w.factor];
    return [false, pairs.every(([a, b]) => near(a - b, d, size)) ? w.constant : w.wrong];
  }
  const list = text.slice(text.lastIndexOf("=") + 1).replace(/−/g, "-").split(/[\s;]+|,(?!\d)|,\s/);
  const numbers = list.map((x) => x.replace(",", ".").replace("°", "")).filter((x) => x).map(Number);
  if (numbers.some((x) => !isFinite(x))) return [false, w.unread];
  if (q.kind === "number") {
    const off = Math.abs(numbers[0] - q.value), room = q.near * Math.max(1, Math.abs(q.value));
    return off <= room ? [true, w.right] : [false, Math.abs(numbers[0] + q.value) <= room ? w.sign : w.wrong];
  }
  if (numbers.length !== q.arm.links.length) return [false, w.count + " " + q.arm.links.length];
  const at = tool(q.arm, numbers), size = Math.max(1, ...q.arm.target.map(Math.abs));
  return q.arm.target.every((x, i) => Math.abs(x - at[i]) <= q.close * size) ? [true, w.right] : [false, w.wrong];
}
// where the tool is: the product of the arm's transforms, angles in degrees
function tool(arm, q) {
  const times = (A, B) => A.map((row) => B[0].map((_, j) => row.reduce((sum, x, k) => sum + x * B[k][j], 0)));
  let T = arm.base;
  arm.links.forEach((link, i) => {
    const x = link.sense * (link.turn ? q[i] * Math.PI / 180 : q[i]);
    const angle = link.turn * x + (link.turn ? link.offset : 0), z = link.slide * x + (link.turn ? 0 : link.offset);
    const c = Math.cos(angle), s = Math.sin(angle);
    T = times(times(times(T, link.before), [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, z], [0, 0, 0, 1]]), link.after);
  });
  T = times(T, arm.tool);
  return [T[0][3], T[1][3], T[2][3]];
}
for (const box of document.querySelectorAll("[data-question]")) {
  const q = JSON.parse(box.dataset.question), form = box.querySelector("form"), out = box.querySelector("output");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    let right = false, says = q.words.unread;
    try { [right, says] = judge(q, box.querySelector("input").value); }
    catch (problem) { if (Array.isArray(problem)) says = q.words.name + " " + problem[1]; }
    out.textContent = says;
    out.className = right ? "right" : "wrong";
  });
}
"""
