"""The tool `search_web`: search engines."""
