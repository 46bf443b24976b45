"""Named, searchable sets of pictures: catalogue rows, vectors and thumbnails, kept in step."""
