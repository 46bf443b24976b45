"""Lets ``python -m visavis`` do what the ``visavis`` command does."""

from visavis.cli import main

main()
