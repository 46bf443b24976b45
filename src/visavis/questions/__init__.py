"""The one question worth asking next, or none."""
