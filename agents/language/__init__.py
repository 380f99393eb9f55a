"""What the rules know about language: clauses, expressions, places, paths. Both languages in each module."""
