"""A redistributable demo collection: garments and accessories drawn from a seed, with exact descriptions."""

from __future__ import annotations

from visavis.demo.catalogue import draw_catalogue, draw_scenes, draw_training_set
from visavis.demo.items import DemoItem, describe, hard_negatives
from visavis.demo.painter import draw
from visavis.demo.scenes import DrawnScene, describe_scene, draw_scene, scene_negatives

__all__ = [
    "DemoItem",
    "DrawnScene",
    "describe",
    "describe_scene",
    "draw",
    "draw_catalogue",
    "draw_scene",
    "draw_scenes",
    "draw_training_set",
    "hard_negatives",
    "scene_negatives",
]
