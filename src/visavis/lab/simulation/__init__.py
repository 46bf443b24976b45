"""Simulated users who know one target and answer in words, for repeatable measurements."""
