"""Arithmetic in a user's words: what it means, what it comes to, how it is written.

One place decides what is arithmetic: `calculate` computes what is read here, and the rules hand it what is read here.

    amounts     a text in plain characters, its amounts taken out   operations  what is done to amounts
    sentences   whole sentences put in order, from a table          wording     how the answer is written
    expression  an expression read                                  changes     what is done to an earlier number
    quantities  figures in prose, by their dimensions
    reading     all of it together, and what is to be converted
"""

from switchyard.language.arithmetic.changes import find_arithmetic, find_change
from switchyard.language.arithmetic.reading import parse, read_arithmetic

__all__ = ["find_arithmetic", "find_change", "parse", "read_arithmetic"]
