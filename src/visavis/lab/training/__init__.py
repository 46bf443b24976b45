"""Training: data packs, objectives, loops, checkpoints, export to ONNX (extra ``train``)."""
