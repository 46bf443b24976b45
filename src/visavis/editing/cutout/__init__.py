"""Cutting things out: cutters say roughly where, refinement says exactly where."""
