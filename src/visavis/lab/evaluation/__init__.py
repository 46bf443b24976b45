"""Metrics, protocols and reports of conversational retrieval."""
