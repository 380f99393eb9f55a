"""Arithmetic in a user's words: what it means, what it comes to, how it is written.

One place decides what is arithmetic: `calculate` computes what is read here, and the rules hand it what is read here.

    plain      a text in plain characters          patterns   patterns over words
    tokens     its amounts taken out               phrases    sentences put in order, from two tables
    measures   numbers with their units            frames     the words that only ask
    expression an expression read, from `symbols`  evaluation what it comes to, by `operations` and `aggregates`
    conversions what is to be converted            outcomes   with the unit of the answer
    reading    all of it together                  wording    how it is written in an answer
"""

from switchyard.language.arithmetic.reading import MAX_LENGTH, Arithmetic, parse, parse_plain, read_arithmetic

__all__ = ["MAX_LENGTH", "Arithmetic", "parse", "parse_plain", "read_arithmetic"]
