"""The command line: ``visavis COMMAND``. One file a command; each adds itself to the one app."""

from visavis.cli.main import main

__all__ = ["main"]
