"""Arithmetic in a user's words: what it means, what it comes to, how it is written.

One place decides what is arithmetic: `calculate` computes what is read here, and the rules hand it what is read here.

    amounts     a text in plain characters, its amounts taken out   operations  what is done to amounts
    expression  an expression read                                  frames      the words around it
    quantities  figures in prose, by their dimensions               reading     all of it together, and its answer
"""

from switchyard.language.arithmetic.reading import find_arithmetic, find_change, parse, read_arithmetic

__all__ = ["find_arithmetic", "find_change", "parse", "read_arithmetic"]
