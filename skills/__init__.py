"""Skills: a folder each with SKILL.md, or a single Python file."""
