"""Pictures of arms as SVG, from the record of a drawing: no browser, no other library, the same bytes every time."""
