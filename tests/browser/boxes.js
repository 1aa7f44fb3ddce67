// Every text is a set of boxes: of its lines; a formula is one box a line, since letters in it may lie over each other by
// intent. A box follows its ancestors outwards: what hides its overflow may hide no text (but for an ellipsis whose whole
// text is a title), what scrolls must be able to scroll to it. What is seen at the end may lie on no other text of the
// same layer: menus, dialogs and headings that stick are layers of their own.
() => {
  const SLACK = 1.5, SKIP = ".unseen, .katex-mathml, script, style, noscript, option, textarea, title, desc, .u-hz";
  const faults = [], units = [];
  let texts = 0;
  const words = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 50));
  const named = (e) => e.tagName.toLowerCase() + [...e.classList].map((c) => "." + c).join("");
  const where = (e) => [e.closest("section, dialog, nav, header, main, footer"), e.parentElement, e].filter(Boolean).map(named).join(" > ");
  const styles = new Map();
  const style = (e) => styles.get(e) ?? (styles.set(e, getComputedStyle(e)), styles.get(e));
  const ellipsis = (e, box) => {
    for (let x = e; x; x = x.parentElement) {
      if (x.title || x.getAttribute("aria-label")) return style(box).textOverflow === "ellipsis";
      if (x === box) return false;
    }
    return false;
  };
  const layer = (e) => {
    for (let x = e; x; x = x.parentElement) {
      const s = style(x);
      if (x.tagName === "DIALOG" || s.position === "fixed" || s.position === "sticky" || (s.position === "absolute" && s.zIndex !== "auto")) return x;
    }
    return null;
  };

  const visible = (e, r, text) => {
    let free = false; // of an absolute box: ancestors between it and the box it is placed in do not cut it
    for (let box = e; box && box !== document.documentElement; box = box.parentElement) {
      const s = style(box);
      if (box === e ? s.position === "absolute" : false) { free = true; continue; }
      if (free && s.position === "static") continue;
      free = s.position === "absolute";
      if (box === document.body) continue;
      const outer = box.getBoundingClientRect();
      for (const [lo, hi, overflow, start, size, room, at] of [
        ["l", "r", s.overflowX, outer.left + box.clientLeft, box.clientWidth, box.scrollWidth, box.scrollLeft],
        ["t", "b", s.overflowY, outer.top + box.clientTop, box.clientHeight, box.scrollHeight, box.scrollTop],
      ]) {
        const svg = box.tagName === "svg";
        if (overflow === "visible" || (!svg && (s.display === "inline" || !size))) continue;
        const first = svg ? (lo === "l" ? outer.left : outer.top) : start;
        const last = svg ? (lo === "l" ? outer.right : outer.bottom) : start + size;
        const scrolls = /auto|scroll/.test(overflow);
        const from = scrolls ? first - at : first, to = scrolls ? first - at + room : last;
        if ((r[lo] < from - SLACK || r[hi] > to + SLACK) && !ellipsis(e, box)) {
          faults.push(`cut off by ${Math.round(Math.max(from - r[lo], r[hi] - to))} px of ${named(box)}: ${words(text)} in ${where(e)}`);
          return null;
        }
        r = { ...r, [lo]: Math.max(r[lo], first), [hi]: Math.min(r[hi], last) };
        if (r[hi] - r[lo] < 1) return null;
      }
      if (s.position === "fixed") break;
    }
    if (r.l < -SLACK || r.r > document.documentElement.clientWidth + SLACK) {
      faults.push(`outside the window: ${words(text)} in ${where(e)}`);
      return null;
    }
    return r;
  };

  const add = (e, box, text) => {
    const inset = 0.2 * (box.bottom - box.top); // a line's box is higher than its letters
    if (box.width < 1 || box.height < 1) return;
    texts++;
    const button = e.closest("button, select, .act");
    const frame = button?.getBoundingClientRect();
    if (frame && (box.left < frame.left - SLACK || box.right > frame.right + SLACK) && style(button).overflow === "visible")
      faults.push(`leaves its button: ${words(text)} in ${where(e)}`);
    const seen = visible(e, { l: box.left, r: box.right, t: box.top + inset, b: box.bottom - inset }, text);
    if (seen) units.push({ e, text, layer: layer(e), ...seen });
  };

  const done = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest(SKIP) || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const whole = e.closest(".katex-base, .katex .base") ?? e.closest(".katex, math, svg text");
    if (whole) {
      if (!done.has(whole)) add(whole, whole.getBoundingClientRect(), whole.textContent);
      done.add(whole);
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(e, box, node.data);
  }

  const context = document.createElement("canvas").getContext("2d");
  const needs = (e, text) => {
    context.font = style(e).font;
    return context.measureText(text).width;
  };
  for (const e of document.querySelectorAll("select, input")) {
    if (!e.checkVisibility({ visibilityProperty: true }) || !e.clientWidth || e.closest(SKIP)) continue;
    const pads = parseFloat(style(e).paddingLeft) + parseFloat(style(e).paddingRight);
    if (e.tagName === "SELECT") {
      const text = e.selectedOptions[0]?.textContent ?? "", arrow = 15;
      if (!ellipsis(e, e) && needs(e, text) > e.clientWidth - pads - arrow + SLACK) faults.push(`cut off in a select: ${words(text)} in ${where(e)}`);
    } else if (/text|search|number/.test(e.type)) {
      if (e.value && needs(e, e.value) > e.clientWidth - pads + SLACK) faults.push(`cut off in a field: ${words(e.value)} in ${where(e)} ${e.getAttribute("aria-label") ?? ""}`);
      if (!e.value && e.placeholder && needs(e, e.placeholder) > e.clientWidth - pads + SLACK) faults.push(`cut off in a field: ${words(e.placeholder)} in ${where(e)}`);
    }
  }

  units.sort((a, b) => a.t - b.t);
  let open = [];
  for (const b of units) {
    open = open.filter((a) => a.b > b.t + 2);
    for (const a of open) {
      const wide = Math.min(a.r, b.r) - Math.max(a.l, b.l), high = Math.min(a.b, b.b) - Math.max(a.t, b.t);
      if (wide > 2 && high > 2 && a.layer === b.layer && a.e !== b.e)
        faults.push(`${words(b.text)} in ${where(b.e)} lies on ${words(a.text)} in ${where(a.e)}`);
    }
    open.push(b);
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.push(`the page is ${page.scrollWidth} px wide in a window of ${page.clientWidth}`);
  return { texts, faults: [...new Set(faults)] };
}
