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
from manipula.messages import Message
from manipula.pages.steps import Told
from manipula.worksheets.answers import ROUNDING, UNIT
from manipula.worksheets.questions import CLOSE, LIST_GAPS, LIST_NOISE, NEAR, WorksheetQuestion
from manipula.worksheets.reader import COMMA, REWRITES, SIGNS

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
    "right": Message("Right."),
    "sign": Message("Not equal: the sign is opposite."),
    "factor": Message("Not equal: off by a constant factor."),
    "constant": Message("Not equal: off by a constant."),
    "wrong": Message("Not equal."),
    "unread": Message("This cannot be read: write products with *, as in l1*c1 + l2*c12."),
    "list": Message("This cannot be read: type numbers with commas, as in 30, -45."),
    "name": Message("This is not a name of this arm:"),
    "count": Message("Expected so many numbers:"),
    "empty": Message("Type an answer first."),
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
    label = told(Message("your answer"))
    field = f'<input aria-label="{one.key}: {escape(label)}" autocomplete="off" spellcheck="false">'
    button = f"<button>{escape(told(Message('Check')))}</button>"
    return (
        f'<div class="question" data-question="{packed}"><p><b>{one.key}</b> {one.asks.sentence(script, told)}</p>'
        f'{given}{shown}<form><span>{left} =</span>{field}{button}<output aria-live="polite"></output></form></div>'
    )


SCRIPT_TEMPLATE = r"""
"use strict";
// formulas: a reader by recursive descent; names are looked up, nothing is run
const SIGNS = @SIGNS@, REWRITES = @REWRITES@, COMMA = @COMMA@;
const ROUNDING = @ROUNDING@, UNIT = @UNIT@, LIST_NOISE = @LIST_NOISE@, LIST_GAPS = @LIST_GAPS@;
const FUNCTIONS = { sin: Math.sin, cos: Math.cos, tan: Math.tan, sqrt: Math.sqrt, atan2: Math.atan2 };
const SHORT = { c: "cos", s: "sin" };
function plainText(text) {
  let plain = [...text.slice(text.lastIndexOf("=") + 1).normalize("NFD")].map((x) => SIGNS[x] ?? x).join("");
  for (const [pattern, by] of plain.includes("tan2") ? REWRITES : [...REWRITES, COMMA])
    plain = plain.replace(new RegExp(pattern, "g"), by);
  return plain.trim();
}
// what a word means at a point: a parameter first; nothing where it has no meaning
function meaning(name, v) {
  if (Object.hasOwn(v, name)) return () => v[name];
  let m = /^(c|s|cos|sin)_?(m?\d(?:_?m?\d)*)$/i.exec(name);
  if (m) {
    const places = m[2].includes("_") ? /(m?)(\d+)/g : /(m?)(\d)/g, parts = [...m[2].matchAll(places)];
    if (parts.every((part) => Object.hasOwn(v, "q" + part[2]))) {
      const turn = /^c/i.test(m[1]) ? Math.cos : Math.sin;
      return () => turn(parts.reduce((sum, part) => sum + (part[1] ? -1 : 1) * v["q" + part[2]], 0));
    }
  }
  m = /^(?:theta|th|q|d)(d{0,2})_?(\d+)$/.exec(name) || /^(d{1,2})(?:theta|th|q)_?(\d+)$/.exec(name);
  if (m && Object.hasOwn(v, "q" + m[1] + m[2])) return () => v["q" + m[1] + m[2]];
  if (name === "pi") return () => Math.PI;
  const bare = (x) => x.replaceAll("_", "").toLowerCase(), alike = Object.keys(v).filter((x) => bare(x) === bare(name));
  return alike.length === 1 && !/^qd*\d/.test(alike[0]) ? () => v[alike[0]] : null;
}
const called = (word) => SHORT[word.toLowerCase()] ?? word.toLowerCase();
// l1c1 is l1 and c1; a digit belongs to the name before it
function split(word, v) {
  const known = (x) => meaning(x, v) || Object.hasOwn(FUNCTIONS, called(x));
  if (known(word)) return [word];
  for (let size = Math.min(word.length, 60) - 1; size > 0; size--) {
    if (!/^[A-Za-z]/.test(word.slice(size)) || !known(word.slice(0, size))) continue;
    const rest = split(word.slice(size), v);
    if (rest) return [word.slice(0, size), ...rest];
  }
  return null;
}
function parse(text, names) {
  const tokens = (plainText(text).match(/\d+\.?\d*(?:[eE][-+]\d+)?|\.\d+|[A-Za-z_]\w*|\S/g) || []).flatMap((x) => {
    const parts = /^[A-Za-z_]/.test(x) ? split(x, names) : [x];
    if (!parts) throw ["name", x];
    return parts;
  });
  let at = 0;
  const take = (x) => tokens[at] === x && (at++, true), begins = () => /^[A-Za-z_(]/.test(tokens[at] || "");
  function sum() {
    let a = product();
    while (tokens[at] === "+" || tokens[at] === "-") {
      const op = tokens[at++], l = a, r = product();
      a = op === "+" ? (v) => l(v) + r(v) : (v) => l(v) - r(v);
    }
    return a;
  }
  function product() {
    let a = sign();
    for (;;) {
      const l = a;
      if (take("/")) { const r = sign(); a = (v) => l(v) / r(v); }
      else if (take("*")) { const r = sign(); a = (v) => l(v) * r(v); }
      else if (begins()) { const r = power(); a = (v) => l(v) * r(v); } // side by side
      else return a;
    }
  }
  function sign() {
    if (take("-")) { const a = sign(); return (v) => -a(v); }
    return take("+") ? sign() : power();
  }
  function power() {
    let a = atom();
    if (take("°")) { const l = a; a = (v) => l(v) * Math.PI / 180; }
    if (!take("^")) return a;
    const l = a, r = sign();
    return (v) => Math.pow(l(v), r(v));
  }
  function atom() {
    const t = tokens[at];
    if (t === undefined) throw "unread";
    if (take("(")) { const a = sum(); if (!take(")")) throw "unread"; return a; }
    if (!/^[\w.]/.test(t)) throw "unread";
    at++;
    if (/^[\d.]/.test(t)) { const n = Number(t); if (!isFinite(n)) throw "unread"; return () => n; }
    return meaning(t, names) ? (v) => meaning(t, v)() : call(called(t));
  }
  function call(name) { // cos(q1), cos q1, cos²(q1)
    const exponent = take("^") ? atom() : () => 1;
    let args;
    if (take("(")) {
      args = [sum()];
      while (take(",")) args.push(sum());
      if (!take(")")) throw "unread";
    } else {
      const factor = /^\d/.test(tokens[at] || "") && name !== "sqrt", n = atom();
      const x = factor && /^[A-Za-z_]/.test(tokens[at] || "") ? atom() : () => 1; // √3, and cos 2θ1
      args = [(v) => n(v) * x(v)];
    }
    return (v) => Math.pow(FUNCTIONS[name](...args.map((a) => a(v))), exponent(v));
  }
  const whole = sum();
  if (at < tokens.length) throw "unread";
  return whole;
}
const near = (a, b, scale) => Math.abs(a - b) <= 1e-8 * Math.max(1, scale);
function judge(q, text) {
  const w = q.words;
  if (!text.trim()) return [false, w.empty];
  if (q.kind === "formula") {
    const f = parse(text, q.samples[0][0]), pairs = q.samples.map(([point, want]) => [f(point), want]);
    const size = Math.max(...pairs.map(([, b]) => Math.abs(b)));
    if (pairs.every(([a, b]) => near(a, b, size))) return [true, w.right];
    if (pairs.every(([a, b]) => near(-a, b, size))) return [false, w.sign];
    const r = pairs[0][0] / pairs[0][1], d = pairs[0][0] - pairs[0][1];
    if (isFinite(r) && pairs.every(([a, b]) => near(a, r * b, size))) return [false, w.factor];
    return [false, pairs.every(([a, b]) => near(a - b, d, size)) ? w.constant : w.wrong];
  }
  if (q.kind === "number") {
    const value = parse(text.trim().replace(new RegExp(UNIT), ""), {})({});
    const off = Math.abs(value - q.value), room = Math.max(q.near * Math.abs(q.value), ROUNDING);
    return off <= room ? [true, w.right] : [false, Math.abs(value + q.value) <= room ? w.sign : w.wrong];
  }
  const numbers = listed(text, q.arm.links.length);
  if (numbers.some((x) => !isFinite(x))) return [false, w.list];
  if (numbers.length !== q.arm.links.length) return [false, w.count + " " + q.arm.links.length];
  const at = tool(q.arm, numbers), size = Math.max(1, ...q.arm.target.map(Math.abs));
  return q.arm.target.every((x, i) => Math.abs(x - at[i]) <= q.close * size) ? [true, w.right] : [false, w.wrong];
}
// as many numbers as are wanted, if one reading of the commas gives them
function listed(text, count) {
  const plain = text.replace(new RegExp(LIST_NOISE, "g"), " ").replaceAll("−", "-");
  const [first, second] = LIST_GAPS.map((gap) => plain.split(new RegExp(gap)).filter((x) => x));
  return (first.length !== count && second.length === count ? second : first).map((x) => Number(x.replace(",", ".")));
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
# one reader in two languages
PAGE_TABLES = {
    "SIGNS": SIGNS, "REWRITES": REWRITES, "COMMA": COMMA, "UNIT": UNIT.pattern, "ROUNDING": ROUNDING,
    "LIST_NOISE": LIST_NOISE, "LIST_GAPS": LIST_GAPS,
}  # fmt: skip
SCRIPT = SCRIPT_TEMPLATE
for _name, _table in PAGE_TABLES.items():
    SCRIPT = SCRIPT.replace(f"@{_name}@", json.dumps(_table))
