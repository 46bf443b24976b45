"""Segmentation of the main object: cutters give a rough mask, refinement an exact one."""
