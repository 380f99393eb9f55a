"""Tool selection in two stages: recall without a model, then rank and fill what was recalled."""
