"""What the files of a folder say about a question."""
