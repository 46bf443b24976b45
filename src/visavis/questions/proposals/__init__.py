"""Where candidate questions come from: one file a source."""
