"""A report on paper: Typst's text of it, and the PDF."""
