"""The tool `search_knowledge`: full text search in the user's own documents."""
