"""Recall by meaning: the tools whose text is nearest to the question, by any LangChain `Embeddings` or word vectors.

A model that does not know the question's language is not asked. One that fails is left alone from then on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from switchyard.language.dictionary import in_english
from switchyard.language.tokeniser import has_chinese, plain_words
from switchyard.toolhub.recall.bm25 import Floats, Slots
from switchyard.toolhub.recall.index import Overlay, ToolIndex, ToolText
from switchyard.toolhub.recall.query import Query, Scored
from switchyard.tools.core.logs import get_logger

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

PARAMETER_SHARE = 0.3
"""What the parameters of a tool count beside what it says of itself, fitted by `benchmarks.recall_fit`."""
WORDING_SHARE = 2.0
"""What many learned wordings count beside it."""
BY_DICTIONARY = 0.6
"""What meaning counts where it was read by the dictionary, as a translated word does against the word itself."""
LEAST_LIKENESS = 0.1
"""Cosine below which nothing is meant."""
ROUGH_FROM, ROUGH_AXES = 2048, 48
"""From how many tools on all are looked at roughly first, and how roughly."""
WEIGHTS, TOKENISER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
DIMENSIONS = 256
LATIN_ENDS = "\u0250"
"""The first letter behind those of Latin alphabets."""


class WordVectors:
    """Embeds a text as the sum of its words, by the vectors that come in the package wordllama, read from its files.

    Its own loader takes seconds, sets up logging for the whole process and reaches for the network; its vectors and its
    tokeniser are two files. They know English; Chinese words stand for what the dictionary says they mean.
    """

    def __init__(self) -> None:
        self._pieces: dict[str, list[int]] = {}
        """Of each word that was met: the rows of the table that make it up."""

    def knows(self, text: str) -> float:
        """How well it can read a text: English as it is, Chinese by the dictionary, and of the rest Latin letters."""
        if text.isascii():
            return float(any(map(str.isalnum, text)))
        if has_chinese(text):
            return BY_DICTIONARY if in_english(text) else 0.0
        letters = [letter for letter in text if letter.isalnum()]
        return float(sum(letter < LATIN_ENDS for letter in letters) > len(letters) / 2)

    def embed_documents(self, texts: list[str]) -> list[Floats]:
        """A vector for each text; longer texts have longer vectors.

        What is described in both languages is read in English alone.
        """
        return [self._sum(in_english(text) if _is_chinese(text) else plain_words(text)) for text in texts]

    def _sum(self, words: list[str]) -> Floats:
        _, table = self._model
        return table[[piece for word in words for piece in self._pieces_of(word)]].sum(axis=0)

    def embed_query(self, text: str) -> Floats:
        """The vector of one text."""
        return self._sum(in_english(text) if has_chinese(text) else plain_words(text))

    def _pieces_of(self, word: str) -> list[int]:
        if word not in self._pieces:
            tokeniser, _ = self._model
            self._pieces[word] = tokeniser.encode(word, add_special_tokens=False).ids
        return self._pieces[word]

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        package = find_spec("wordllama")
        if package is None or package.origin is None:
            raise ModuleNotFoundError("wordllama is missing: pip install 'switchyard[vectors]'", name="wordllama")
        from tokenizers import Tokenizer  # noqa: PLC0415  takes a moment: only embedding needs it

        folder = Path(package.origin).parent
        with (folder / WEIGHTS).open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            file.seek(header["embedding.weight"]["data_offsets"][0], 1)
            table = np.frombuffer(file.read(), np.float16).reshape(-1, DIMENSIONS).astype(np.float32)
        return cast("Any", Tokenizer).from_file(str(folder / TOKENISER)), table


@cache
def word_vectors() -> WordVectors:
    """Those of this process: they are the same for every hub, and take 100 ms and 30 MB."""
    return WordVectors()


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a catalogue, of length one, by slot."""

    rows: Floats
    rough: Floats
    """The rows along the axes alone: a fifth of the work, and enough to tell which tools are worth the rest."""
    axes: Floats | None = None
    """The few directions in which the tools of a large catalogue differ most; none where all are looked at closely."""

    @classmethod
    def of(cls, rows: Floats) -> "Vectors":
        """The vectors, with axes where they save anything."""
        if len(rows) < ROUGH_FROM or rows.shape[1] <= ROUGH_AXES:
            return cls(rows, rows)
        axes = np.ascontiguousarray(np.linalg.eigh(rows.T @ rows)[1][:, -ROUGH_AXES:], np.float32)
        return cls(rows, rows @ axes, axes)

    def plus(self, rows: Floats) -> "Vectors":
        """The vectors with more of them; the axes stay until there are about twice as many."""
        every = np.concatenate([self.rows, rows])
        if self.axes is None or len(every).bit_length() > len(self.rows).bit_length():
            return Vectors.of(every)
        return Vectors(every, np.concatenate([self.rough, rows @ self.axes]), self.axes)


class VectorTable:
    """The vectors of a catalogue, each worked out once, and the model they come from.

    A model may have `knows(text) -> float`: from 0, where it can say nothing about a text, to 1.
    """

    def __init__(self, model: "Embeddings | WordVectors") -> None:
        self._model = model
        self._lock = Lock()
        self._texts: Sequence[ToolText] = ()
        self._vectors = Vectors.of(np.zeros((0, 0), np.float32))
        """Of these texts."""
        self._has_failed = False

    def knows(self, text: str) -> float:
        """How much the model has to say about a text; nothing once it has failed."""
        knows = getattr(self._model, "knows", None)
        return 0.0 if self._has_failed else 1.0 if knows is None else float(knows(text))

    def queries(self, texts: Sequence[str]) -> Floats:
        """A vector of length one for each text."""
        return unit(np.array([self._model.embed_query(text) for text in texts], np.float32))

    def of(self, index: ToolIndex) -> Vectors:
        """The vectors of every slot."""
        with self._lock:
            if index.texts is not self._texts:
                self._vectors, self._texts = self._following(index.texts), index.texts
            return self._vectors

    def give_up(self, error: Exception) -> None:
        """Ask the model nothing from now on: it has failed."""
        self._has_failed = True
        get_logger(__name__).warning(
            "the embedding model failed: tools are recalled by words alone", error=f"{type(error).__name__}: {error}"
        )

    def _following(self, texts: Sequence[ToolText]) -> Vectors:
        """The vectors of these texts, of which those that were known are not worked out again."""
        count = len(self._texts)
        if 0 < count < len(texts) and texts[:count] == self._texts:
            return self._vectors.plus(self._embedded(texts[count:]))
        known = dict(zip(self._texts, self._vectors.rows, strict=True))
        new = [text for text in texts if text not in known]
        known |= zip(new, self._embedded(new), strict=True)
        return Vectors.of(np.array([known[text] for text in texts], np.float32))

    def _embedded(self, texts: Sequence[ToolText]) -> Floats:
        if not texts:
            return np.zeros((0, 0), np.float32)
        said = np.array(self._model.embed_documents([text.said for text in texts]), np.float32)
        parameters = [text.parameters for text in texts]
        places = [place for place, text in enumerate(parameters) if text.strip()]
        if places:
            rows = self._model.embed_documents([parameters[place] for place in places])
            said[places] += np.float32(PARAMETER_SHARE) * np.array(rows, np.float32)
        return unit(said)


class EmbeddingRecall:
    """Recalls tools that mean what the query means."""

    name = "embedding"

    def __init__(self, index: ToolIndex, vectors: VectorTable, overlay: Overlay | None = None) -> None:
        self.index = index
        self._vectors = vectors
        self._overlay = overlay
        self._learned: Floats | None = None

    def recall(self, query: str, topk: int) -> list[Scored]:
        """The nearest `topk` tools, nearest first; none where nothing is near or the language is not known."""
        asked, found = Query(query), self.likeness([query])
        if found is None:
            return []
        found.look_closely(np.arange(len(self.index.texts)))
        near = np.where(found.rows[0] >= LEAST_LIKENESS, found.rows[0], np.float32(0.0))
        return self.index.best(self._overlay.placed(near, asked) if self._overlay else near, topk, asked)

    def likeness(self, texts: Sequence[str]) -> "Likeness | None":
        """How like the tools are to several texts; None where nothing can be said."""
        known = min(map(self._vectors.knows, texts)) if self.index.texts else 0.0
        if not known:
            return None
        try:
            tools, asked = self._vectors.of(self.index), self._vectors.queries(texts)
            found = cast("Floats", (asked if tools.axes is None else asked @ tools.axes) @ tools.rough.T)
            if self._overlay and len(self._overlay.slots):
                found = np.concatenate([found, asked @ self._joined(tools.rows, self._overlay).T], axis=1)
        except Exception as error:  # noqa: BLE001  whatever an embedding model raises: words are still there
            self._vectors.give_up(error)
            return None
        return Likeness(found, asked, tools, known)

    def _joined(self, tools: Floats, overlay: Overlay) -> Floats:
        """The vectors of tools that have learned, drawn towards what they were asked."""
        if self._learned is None:
            wordings = list(overlay.wordings.values())
            rows = self._vectors.queries([text for texts in wordings for text in texts])
            ends = np.cumsum([len(texts) for texts in wordings])
            means = np.array([part.mean(axis=0) for part in np.split(rows, ends[:-1])], np.float32)
            many = np.array([[len(texts) / (len(texts) + 1)] for texts in wordings], np.float32)
            joined = tools[overlay.slots] + np.float32(WORDING_SHARE) * many * means
            self._learned = unit(joined.astype(np.float32))
        return self._learned


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like tools are to texts."""

    rows: Floats
    """From -1 to 1 of every slot, and behind them of those that have learned, a row for each text; on a large catalogue
    not quite exact."""
    asked: Floats
    tools: Vectors
    known: float
    """How much the model has to say about the texts, from 0 to 1."""

    def look_closely(self, slots: Slots) -> None:
        """Make the rows exact for some slots."""
        if self.tools.axes is not None:
            self.rows[:, slots] = self.asked @ self.tools.rows[slots].T


def _is_chinese(text: str) -> bool:
    """Whether a text is in Chinese for the most part; a character counts as two letters."""
    return has_chinese(text) and 3 * len(text) < 2 * len(text.encode())


def unit(rows: Floats) -> Floats:
    """Rows of length one; those of nothing stay nothing."""
    lengths: Floats = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1.0
    return rows / lengths
