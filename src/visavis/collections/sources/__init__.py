"""Sources of pictures: folders, catalogue files, links."""
