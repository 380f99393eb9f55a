"""Python code, run where it can do no harm."""
