"""The five jobs without a model: planning by clauses, choosing by recall, arguments by schema, answers by composition.

It is the embedded default, and the safety net where a model fails in the middle of a run.
"""
