"""Where pictures come from: folders, catalogue files, links."""
