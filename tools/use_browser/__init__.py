"""Web pages in a real browser."""
