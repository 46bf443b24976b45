"""Metrics, protocols and reports: how well the whole conversation finds what a person has in mind."""
