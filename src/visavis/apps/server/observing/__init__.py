"""Logs, request ids and metrics."""
