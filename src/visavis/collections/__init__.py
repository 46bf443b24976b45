"""Named, searchable sets of pictures: consistent catalogue rows, vectors and thumbnails."""
