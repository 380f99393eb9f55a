"""Whether any tool fits a question at all: the best that was found, measured by what comes by chance.

The more tools there are and the more is said, the higher a score some tool reaches without being meant. Beyond it
speak: how like the first tools are, how much of what is said they have between them, and whether words and meaning
find the same tool. Fitted on one half of a sample of five public sets, tried on the other.
"""

from math import log, log1p

from switchyard.toolhub.recall.index import Floats, Slots, TermIndex
from switchyard.toolhub.recall.query import Query

LOOKED_AT = 5
"""The first so many tools decide."""
FEW = 50
"""Among so few tools whatever is related is recalled: the best of them are quickly looked through."""
BY_TOOLS, BY_WORDS = 0.4, 0.5
"""How fast the best score that comes by chance grows with the catalogue and with what is said."""
LIKENESS, COVERED, AGREED = 0.7, 0.5, 0.2
"""What speaks for a question beside its score."""
LIKENESS_UNKNOWN, AGREED_UNKNOWN = 0.4, 0.5
"""What is taken where no model could say."""
LEAST = -1.14
"""How far above chance a question has to come, in e-folds."""


def fits(asked: Query, terms: TermIndex, words: Floats, likeness: Floats | None, first: Slots) -> bool:
    """Whether a question is meant for these tools.

    Args:
        asked: the question.
        terms: the words of the catalogue.
        words: the score of every slot by words.
        likeness: how like each slot is, where a model could say.
        first: the slots that would be recalled first.
    """
    if terms.size <= FEW:
        return True
    said = {word: terms.inverse_frequency(word) for word in asked.words}
    told, best = sum(said.values()), float(words.max())
    alike, agreed = LIKENESS_UNKNOWN, AGREED_UNKNOWN
    if likeness is not None:
        alike = float(likeness[first].max())
        agreed = float(words[likeness.argmax()]) / best if best else 0.0
    slots: list[int] = first.tolist()
    theirs = {number for slot in slots for number in terms.bags[slot].terms.tolist()}
    covered = sum(rarity for word, rarity in said.items() if terms.vocabulary.get(word) in theirs)
    evidence = LIKENESS * alike + COVERED * (covered / told if told else 0.0) + AGREED * agreed
    return log1p(best) + evidence - BY_TOOLS * log(terms.size) - BY_WORDS * log1p(told) >= LEAST
