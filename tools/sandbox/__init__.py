"""The tool `python_executor`: Python code, run behind walls."""
