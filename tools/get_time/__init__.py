"""The tool `get_time`: dates, clocks and time zones."""
