"""The record of a run: plan, steps, attempts, the shared ExecutionContext, decisions, limits and the journal.

Plain data and the rules that keep it consistent. Nothing here plans, chooses, calls a tool or asks a model.
"""
