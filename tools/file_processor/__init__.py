"""The tool `file_processor`: files converted, split, merged, hashed."""
