"""The files of the parser's weights, and their format."""

DESCRIPTION, ENCODER, DECODER, ARRAYS = "network.json", "encoder.onnx", "decoder.onnx", "arrays.npz"
#: The layout that this code reads; weights of another one are refused.
FORMAT = 2
