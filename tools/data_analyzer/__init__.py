"""Questions about tables in files."""
