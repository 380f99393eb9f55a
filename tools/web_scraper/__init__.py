"""What a web page says."""
