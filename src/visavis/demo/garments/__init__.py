"""The shape of each category: converts a look to a list of marks, in the garment's own units around x = 0."""
