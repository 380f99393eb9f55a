"""What can be read in a text without a model, in English and in Chinese: nothing of ours is above this room.

Numbers, units, dates, clocks, durations, places, arithmetic; mentions and clauses; words, the tokeniser and the
dictionary between the two languages. What cannot be read raises `Unreadable`, with a sentence for a person.
"""
