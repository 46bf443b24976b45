"""A demo collection that may be shipped: garments and accessories, drawn from a seed, described exactly."""

from __future__ import annotations

from visavis.demo.catalogue import draw_catalogue, draw_scenes, draw_training_set
from visavis.demo.drawing import draw
from visavis.demo.items import DemoItem, describe
from visavis.demo.negatives import hard_negatives
from visavis.demo.scenes import Scene, describe_scene, draw_scene, scene_negatives

__all__ = [
    "DemoItem",
    "Scene",
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
