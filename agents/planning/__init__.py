"""Planning: a question becomes a DAG of steps, or an answer at once."""
