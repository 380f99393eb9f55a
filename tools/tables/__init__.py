"""The tool `data_analyzer`: questions about tables in files."""
