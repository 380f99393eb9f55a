"""Questions the rules can answer, in both languages and for several tools, as many as wanted."""

TEMPLATES = (
    "What is {n}% of 2480?",
    "{n}的15%是多少？",
    "Calculate ({n} + 4) * 12 / 5",
    "What time is it in {city}?",
    "What is {n}^2, and then add 14% to it",
    "计算 {n} 乘以 46",
    "东京现在几点？",
    "Read notes.md",
    "在文件中搜索 TODO",
    "What is {n}% of 310, and what time is it in Paris?",
)
"""Ten, so that any ten questions in a row are of the same mix."""

CITIES = ("Tokyo", "Paris", "London", "Berlin", "Sydney", "Madrid", "Moscow")


def question(number: int) -> str:
    """A question unlike its neighbours."""
    city = CITIES[number // len(TEMPLATES) % len(CITIES)]
    return TEMPLATES[number % len(TEMPLATES)].format(n=number + 2, city=city)
