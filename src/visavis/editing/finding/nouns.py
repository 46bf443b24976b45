"""Things that pictures usually show: what a named thing must stand out against to count as found."""

from __future__ import annotations

#: Broad on purpose: grounds, materials and the commonest things, each a rival for every patch of a picture.
RIVALS: tuple[str, ...] = (
    "sky", "clouds", "grass", "trees", "leaves", "flowers", "water", "sea", "sand", "snow", "mountain", "rock",
    "road", "pavement", "wall", "floor", "ceiling", "window", "door", "building", "house", "fence", "table", "chair",
    "sofa", "bed", "shelf", "curtain", "carpet", "person", "man", "woman", "child", "face", "hand", "hair", "shirt",
    "trousers", "dress", "shoes", "hat", "bag", "dog", "cat", "bird", "horse", "cow", "sheep", "elephant", "giraffe",
    "car", "bus", "lorry", "train", "motorcycle", "bicycle", "boat", "aeroplane", "sign", "traffic light", "food",
    "plate", "cup", "bottle", "fruit", "pizza", "cake", "computer", "screen", "telephone", "book", "clock", "lamp",
    "ball", "umbrella", "kite", "surfboard", "skis", "toilet", "sink", "oven", "plain background", "blurry background",
    "shadow", "text",
)  # fmt: skip
