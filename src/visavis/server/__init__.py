"""The server: the conversation over HTTP, for the web app and for programs. Needs the extra ``server``."""
