"""The colours of a drawing by what they paint; amber on slate shows an axis to every eye, red and green do not meet."""

PAINTS = {
    "link": "#e8e6e1",
    "joint": "#2f4858",
    "accent": "#e69f00",
    "rod": "#9aa5ab",
    "base": "#2f4858",
    "tool": "#9aa5ab",
    "payload": "#cc79a7",
}
