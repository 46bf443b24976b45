"""The programs people start: the command line and the server."""
