"""Dates, clocks and time zones."""
