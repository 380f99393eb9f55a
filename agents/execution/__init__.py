"""Execution: the assigned DAG runs along its critical path, every attempt journaled."""
