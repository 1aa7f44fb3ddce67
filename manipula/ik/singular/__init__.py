"""Where an arm loses a freedom, as equations."""
