"""The five minds, a folder each: planning, tool_selection, execution, verification, coordination.

Each has a model path (`prompts.py`) and a rules path (in `by_rules`); `agent.py` tries the first and falls back to the
second. They take and return plain data of the ledger: the wiring into a graph is not theirs.
"""
