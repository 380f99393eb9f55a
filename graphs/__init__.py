"""The wiring: the state, the five nodes on one StateGraph, and the labelled edges between them."""
