"""What the web knows, through a search engine."""
