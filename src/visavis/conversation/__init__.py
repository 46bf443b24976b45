"""What was said, what was shown, and what the person wants so far."""
