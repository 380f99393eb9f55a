"""What the tools that reach the web share."""
