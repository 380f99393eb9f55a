"""Skills: folders with a SKILL.md in the open Agent Skills format, and classes in Python files (R4.6)."""
