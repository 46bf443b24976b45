"""The trainable models (extra ``train``: they need torch)."""
