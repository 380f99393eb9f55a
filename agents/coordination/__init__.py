"""Coordination: the one place that decides how a run goes on, and that writes its answer."""
