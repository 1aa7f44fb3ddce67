"""What the screen, errors and warnings say, in other languages: a folder each."""
