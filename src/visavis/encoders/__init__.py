"""Encoders: pictures and words as vectors of one space. ``load_encoder`` is the way in."""

from __future__ import annotations

from visavis.encoders.base import Encoded, Encoder, FloatArray
from visavis.encoders.registry import EncoderInfo, available_encoders, load_encoder

__all__ = ["Encoded", "Encoder", "EncoderInfo", "FloatArray", "available_encoders", "load_encoder"]
