"""One tokeniser for tools and questions, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.tokeniser import MAX_CHARACTERS, has_chinese, tokens


@pytest.mark.parametrize(
    "text", ["search_files", "searchFiles", "SearchFiles", "SEARCH-FILES", "search.files", "search/files"]
)
def test_however_a_name_is_written_it_has_the_same_words(text: str) -> None:
    assert tokens(text) == tokens("search files")


def test_an_abbreviation_in_a_name_is_one_word() -> None:
    assert tokens("parseXMLTree") == tokens("parse xml tree")


@pytest.mark.parametrize(
    ("one", "other"),
    [("calculating", "calculates"), ("files", "file"), ("searched", "searching"), ("Directories", "directory")],
)
def test_inflected_words_are_the_same_word(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize("text", ["", "   ", "?!…", "。，、！？", "🎉🚀", "_", "---", "the of and", "的了吗"])
def test_what_says_nothing_has_no_terms(text: str) -> None:
    assert tokens(text) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("盘石头水库当前水位", "水库"),
        ("读取文件的行数", "文件"),
        ("东京现在几点？", "几点"),
        ("搜索项目里的代码", "代码"),
    ],
)
def test_chinese_text_is_cut_into_words(text: str, word: str) -> None:
    assert word in tokens(text)


def test_chinese_text_has_its_bigrams_too() -> None:
    assert {"石头", "头水"}.issubset(tokens("盘石头水库"))


def test_a_chinese_word_is_not_counted_again_as_a_bigram() -> None:
    assert tokens("水库").count("水库") == 1


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("读取README.md文件", {"读取", "readm", "md", "文件"}),
        ("用Python统计words", {"python", "统计", "word"}),
        ("水位2480米", {"水位", "2480", "米"}),
        ("Привет世界", {"привет", "世界"}),
    ],
)
def test_mixed_text_gives_the_words_of_each_script(text: str, terms: set[str]) -> None:
    assert terms.issubset(tokens(text))


def test_full_width_letters_are_letters() -> None:
    assert tokens("ＦＩＬＥ１２") == tokens("file 12")


def test_emoji_between_words_only_separate_them() -> None:
    assert tokens("search🎉files") == tokens("search files")


def test_a_word_said_twice_counts_twice() -> None:
    assert len(tokens("file file")) == 2


@pytest.mark.parametrize("word", ["http", "click", "copy", "html", "page", "open", "text", "test", "system", "website"])
def test_words_that_name_what_a_tool_does_are_kept(word: str) -> None:
    assert tokens(word)


@pytest.mark.parametrize("word", ["how", "what", "time", "find", "list", "date"])
def test_words_that_are_the_point_of_a_question_are_kept(word: str) -> None:
    assert tokens(word)


@pytest.mark.parametrize("piece", ["search the files ", "查询水库水位", "🎉", "aB"])
def test_fifty_thousand_characters_are_recalled_by_their_beginning(piece: str) -> None:
    text = (piece * 50_000)[:50_000]
    assert tokens(text) == tokens(text[:MAX_CHARACTERS])


@pytest.mark.parametrize(
    ("text", "chinese"), [("水库", True), ("a水", True), ("water", False), ("", False), ("ファ", False)]
)
def test_chinese_is_recognised(text: str, *, chinese: bool) -> None:
    assert has_chinese(text) is chinese


@given(st.text(max_size=300))
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    assert all(term and not any(character.isspace() for character in term) for term in tokens(text))


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=100))
def test_the_same_text_always_gives_the_same_terms(text: str) -> None:
    assert tokens(text) == tokens(text)


@given(st.text(alphabet="abcXYZ_- 09水库查询，。", max_size=60))
def test_terms_do_not_depend_on_white_space_around_the_text(text: str) -> None:
    assert tokens(f"  {text}\n") == tokens(text)
