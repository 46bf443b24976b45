"""What routes call: the work behind the HTTP interface."""
