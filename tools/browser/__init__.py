"""The tool `use_browser`: web pages in a real browser."""
