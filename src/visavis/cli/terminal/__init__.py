"""The terminal side of ``visavis chat``."""
