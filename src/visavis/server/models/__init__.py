"""The bodies of requests and responses, as pydantic models with examples."""
