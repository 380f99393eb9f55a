"""Word vectors that come in a package: wordllama's, read from its files.

Its own loader takes seconds, sets up logging for the whole process and reaches for the network; its vectors and its
tokeniser are two files. They know English, and are asked nothing about Chinese.
"""

import json
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from switchyard.language.tokeniser import has_chinese, plain_words
from switchyard.toolhub.recall.index import Floats

WEIGHTS, TOKENISER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
DIMENSIONS = 256
LATIN_ENDS = "\u0250"
"""The first letter behind those of Latin alphabets."""


class WordVectors:
    """Embeds a text as the sum of its words. Has the two methods of LangChain's `Embeddings`, and `knows`."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[int]] = {}
        """Of each word that was met: the rows of the table that make it up."""

    def knows(self, text: str) -> bool:
        """Whether it can say anything about a text: most of its letters are of the alphabet it knows words in."""
        if text.isascii():
            return any(map(str.isalnum, text))
        letters = [letter for letter in text if letter.isalnum()]
        return not has_chinese(text) and sum(letter < LATIN_ENDS for letter in letters) > len(letters) / 2

    def embed_documents(self, texts: list[str]) -> list[Floats]:
        """A vector for each text; longer texts have longer vectors."""
        _, table = self._model
        return [
            table[[piece for word in plain_words(text) for piece in self._pieces_of(word)]].sum(axis=0)
            for text in texts
        ]

    def embed_query(self, text: str) -> Floats:
        """The vector of one text."""
        return self.embed_documents([text])[0]

    def _pieces_of(self, word: str) -> list[int]:
        if word not in self._pieces:
            tokeniser, _ = self._model
            self._pieces[word] = tokeniser.encode(word, add_special_tokens=False).ids
        return self._pieces[word]

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        from tokenizers import Tokenizer  # noqa: PLC0415  takes a moment: only embedding needs it

        package = find_spec("wordllama")
        if package is None or package.origin is None:
            raise ModuleNotFoundError("wordllama is not installed", name="wordllama")
        folder = Path(package.origin).parent
        with (folder / WEIGHTS).open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            file.seek(header["embedding.weight"]["data_offsets"][0], 1)
            table = np.frombuffer(file.read(), np.float16).reshape(-1, DIMENSIONS).astype(np.float32)
        return cast("Any", Tokenizer).from_file(str(folder / TOKENISER)), table
