"""Long work with progress: indexing folders."""
