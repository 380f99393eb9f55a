"""What the tools that read and write files share."""
