"""The files of the parser's weights, their format, and the names inside them."""

DESCRIPTION, ENCODER, DECODER, ARRAYS = "network.json", "encoder.onnx", "decoder.onnx", "arrays.npz"
#: The layout that this code reads; weights of another one are refused.
FORMAT = 3
#: What the decoder is given when it is loaded: the vectors of the pieces that it can write, bytes and scales of words,
#: numbers of marks, and a bias for each.
WORDS_WRITTEN, WORDS_SCALE, MARKS_WRITTEN, BIAS = "words_written", "words_scale", "marks_written", "bias"
#: So many of the likeliest pieces are tried under the grammar before all of them are.
TRIED = 24
