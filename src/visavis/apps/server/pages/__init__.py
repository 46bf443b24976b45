"""The built web app: its files, and what is put into its page."""
