"""Stage one of selection: the few tools of many that share words with a question, without a model."""
