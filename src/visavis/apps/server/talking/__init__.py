"""Conversations of users: finding, continuing, telling them."""
