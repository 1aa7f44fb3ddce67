// Typeset what the build marked as mathematics: \(…\) in a line, \[…\] by itself.
for (const element of document.querySelectorAll(".arithmatex")) {
  const text = element.textContent.trim();
  const displayMode = text.startsWith("\\[");
  katex.render(text.slice(2, -2), element, { displayMode, throwOnError: false, strict: "ignore", output: "htmlAndMathml" });
  element.tabIndex = displayMode ? 0 : -1; // a wide one scrolls, by the keyboard too
}
