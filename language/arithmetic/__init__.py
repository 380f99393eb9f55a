"""Arithmetic in a user's words: what it means, what it comes to, how it is written.

One place decides what is arithmetic: `calculate` computes what is read here, and the rules hand it what is read here.

    words       a text as its words and amounts             expression  a formula, in signs or words, by precedence
    operations  what is done to amounts                     quantities  figures in prose, by their dimensions
    reading     all of it together                          answer      how the outcome is written
"""

from switchyard.language.arithmetic.reading import Arithmetic, find_arithmetic, find_change, parse

__all__ = ["Arithmetic", "find_arithmetic", "find_change", "parse"]
