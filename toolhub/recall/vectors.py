"""Word vectors that come in a package: wordllama's, read from its files.

Its own loader takes seconds, sets up logging for the whole process and reaches for the network; its vectors and its
tokeniser are two files. They know English, and are asked nothing about Chinese.
"""

import json
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np

from switchyard.language.tokeniser import has_chinese, plain_words
from switchyard.toolhub.recall.index import Floats

WEIGHTS, TOKENISER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
DIMENSIONS = 256
WORTH_A_BATCH = 64
"""So many words are worth the threads that a batch is parted among."""

LATIN_ENDS = "\u0250"
"""The first letter behind those of Latin alphabets."""


class WordVectors:
    """Embeds a text as the sum of its words. Has the two methods of LangChain's `Embeddings`, and `knows`."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        """Where the vector of a word stands."""
        self._rows = np.zeros((0, DIMENSIONS), np.float32)
        """With room for words to come."""
        self._lock = Lock()

    def knows(self, text: str) -> bool:
        """Whether it can say anything about a text: most of its letters are of the alphabet it knows words in."""
        if text.isascii():
            return any(map(str.isalnum, text))
        letters = [letter for letter in text if letter.isalnum()]
        return not has_chinese(text) and sum(letter < LATIN_ENDS for letter in letters) > len(letters) / 2

    def embed_documents(self, texts: list[str]) -> list[Floats]:
        """A vector for each text; longer texts have longer vectors."""
        words = [plain_words(text) for text in texts]
        rows, places = self._known({word for of_text in words for word in of_text}), self._places
        return [rows[[places[word] for word in of_text]].sum(axis=0) for of_text in words]

    def embed_query(self, text: str) -> Floats:
        """The vector of one text."""
        return self.embed_documents([text])[0]

    def _known(self, words: set[str]) -> Floats:
        """The table of vectors, with those of these words in it."""
        if words <= self._places.keys():
            return self._rows
        tokeniser, table = self._model
        with self._lock:
            new = sorted(words.difference(self._places))
            if len(new) < WORTH_A_BATCH:
                encoded = [tokeniser.encode(word, add_special_tokens=False) for word in new]
            else:
                encoded = tokeniser.encode_batch(new, add_special_tokens=False)
            start, end = len(self._places), len(self._places) + len(new)
            rows = self._rows
            if end > len(rows):
                rows = np.zeros((end + end // 4, DIMENSIONS), np.float32)
                rows[:start] = self._rows[:start]
            for place, pieces in enumerate(encoded, start=start):
                rows[place] = table[pieces.ids].sum(axis=0, dtype=np.float32)
            self._rows = rows
            self._places.update(zip(new, range(start, end), strict=True))
        return rows

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
            table = np.frombuffer(file.read(), np.float16).reshape(-1, DIMENSIONS)
        return cast("Any", Tokenizer).from_file(str(folder / TOKENISER)), table
