"""Open collections and what is looked up in them."""
