"""Finding pictures: by words, by a picture, by both; without what is not wanted; or nothing, where nothing fits."""
