"""How each category is cut: a look becomes a list of marks, in the garment's own units around x = 0."""
