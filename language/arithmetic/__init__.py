"""Arithmetic in a user's words: what it means, what it comes to, how it is written.

One place decides what is arithmetic: `calculate` computes what is read here, and the rules hand it what is read here.

    amounts     a text in plain characters, its amounts taken out   operations  what is done to one or two values
    sentences   whole sentences put in order, from a table          functions   what is done to a list; what it comes to
    expression  an expression read                                  conversions what is to be converted
    outcomes    the answer with its unit, and how it is written     reading     all of it together
"""

from switchyard.language.arithmetic.reading import MAX_LENGTH, Arithmetic, parse, parse_plain, read_arithmetic

__all__ = ["MAX_LENGTH", "Arithmetic", "parse", "parse_plain", "read_arithmetic"]
