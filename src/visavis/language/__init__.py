"""From what a person says to commands: the grammar, the parsers, and what they need to know."""
