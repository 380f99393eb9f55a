"""Recall by meaning: the tools whose text is nearest to the question, by any LangChain `Embeddings` or word vectors.

A model that does not know the question's language is not asked. One that fails is left alone from then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol, cast

import numpy as np
import structlog

from switchyard.toolhub.recall.bm25 import Scored
from switchyard.toolhub.recall.documents import ToolText
from switchyard.toolhub.recall.index import Floats, Slots
from switchyard.toolhub.recall.overlay import Overlay
from switchyard.toolhub.recall.query import Query
from switchyard.toolhub.recall.tool_index import ToolIndex

PARAMETER_SHARE = 0.3
"""What the parameters of a tool count beside what it says of itself."""
WORDING_SHARE = 2.0
"""What many learned wordings count beside it."""
LEAST_LIKENESS = 0.1
"""Cosine below which nothing is meant."""
ROUGH_FROM, ROUGH_AXES = 2000, 48
"""From how many tools on all are looked at roughly first, and how roughly."""


class Embeds(Protocol):
    """What is used of LangChain's `Embeddings`. A model may also have `knows(text) -> bool`."""

    def embed_documents(self, texts: list[str]) -> Sequence[Any]:
        """A vector for each text."""
        ...

    def embed_query(self, text: str) -> Any:
        """The vector of one text."""
        ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a catalogue, of length one, by slot."""

    rows: Floats
    axes: Floats | None = None
    """The few directions in which the tools of a large catalogue differ most."""
    rough: Floats | None = None
    """The rows along these alone: a fifth of the work, and enough to tell which tools are worth the rest."""


class VectorTable:
    """The vectors of a catalogue, each worked out once, and the model they come from."""

    def __init__(self, model: Embeds) -> None:
        self._model = model
        self._lock = Lock()
        self._index = ToolIndex()
        self._room = Vectors(np.zeros((0, 0), np.float32))
        """With room for tools to come."""
        self.failures = 0
        """How often the model failed: at most once, it is not asked again."""

    def knows(self, text: str) -> bool:
        """Whether the model works and can say anything about a text."""
        knows = getattr(self._model, "knows", None)
        return not self.failures and (knows is None or bool(knows(text)))

    def queries(self, texts: Sequence[str]) -> Floats | None:
        """A vector of length one for each text; None when the model failed."""
        try:
            return unit(np.array([self._model.embed_query(text) for text in texts], np.float32))
        except Exception as error:  # noqa: BLE001  whatever an embedding model raises: words are still there
            return self._failed(error)

    def of(self, index: ToolIndex) -> Vectors | None:
        """The vectors of every slot; None when the model failed."""
        with self._lock:
            try:
                if index.layout is not self._index.layout:
                    self._lay_out(index)
                elif len(index.texts) > len(self._index.texts):
                    self._append(index)
            except Exception as error:  # noqa: BLE001  whatever an embedding model raises: words are still there
                return self._failed(error)
            count, room = len(index.texts), self._room
            return Vectors(room.rows[:count], room.axes, None if room.rough is None else room.rough[:count])

    def _lay_out(self, index: ToolIndex) -> None:
        """Take over what is known of the tools that are still there; the others are forgotten."""
        known = {text: slot for slot, text in enumerate(self._index.texts)}
        new = [text for text in dict.fromkeys(index.texts) if text not in known]
        fresh = self._embedded(new)
        old = self._room.rows[: len(known)]
        both = np.concatenate([old, fresh]) if len(old) and len(fresh) else old if len(old) else fresh
        known |= {text: slot for slot, text in enumerate(new, start=len(self._index.texts))}
        rows = both[[known[text] for text in index.texts]]
        self._room, self._index = Vectors(rows, *_roughly(rows)), index

    def _append(self, index: ToolIndex) -> None:
        start, end = len(self._index.texts), len(index.texts)
        rows, axes, rough = self._room.rows, self._room.axes, self._room.rough
        new = self._embedded(index.texts[start:])
        if end > len(rows):
            rows = _longer(rows, end)
            rough = None if rough is None else _longer(rough, end)
        rows[start:end] = new
        if axes is not None and rough is not None:
            rough[start:end] = new @ axes
        self._room, self._index = Vectors(rows, axes, rough), index

    def _embedded(self, texts: list[ToolText]) -> Floats:
        if not texts:
            return np.zeros((0, 0), np.float32)
        said = np.array(self._model.embed_documents([text.said for text in texts]), np.float32)
        parameters = [text.parameters for text in texts]
        places = [place for place, text in enumerate(parameters) if text.strip()]
        if places:
            rows = self._model.embed_documents([parameters[place] for place in places])
            said[places] += np.float32(PARAMETER_SHARE) * np.array(rows, np.float32)
        return unit(said)

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        structlog.get_logger(__name__).warning(
            "the embedding model failed: tools are recalled by words alone", error=f"{type(error).__name__}: {error}"
        )


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
        asked = Query(query)
        found = self.scores(asked)
        if found is None:
            return []
        return self.index.best(np.where(found >= LEAST_LIKENESS, found, np.float32(0.0)), topk, asked)

    def scores(self, asked: Query) -> Floats | None:
        """The likeness of every slot, from -1 to 1; None where nothing can be said."""
        found = self.likeness([asked.text])
        if found is None:
            return None
        rows = found.of(np.arange(len(self.index.texts)))
        rows[:, ~self.index.terms.alive] = 0.0
        return rows[0]

    def readable(self, asked: Query) -> str:
        """A question as the model can read it: one that knows its language gets the user's own words."""
        return asked.text if self._vectors.knows(asked.text) else asked.said

    def likeness(self, texts: Sequence[str]) -> "Likeness | None":
        """How like the tools are to several texts."""
        if not self.index.texts or not all(map(self._vectors.knows, texts)):
            return None
        tools = self._vectors.of(self.index)
        asked = None if tools is None else self._vectors.queries(texts)
        if tools is None or asked is None:
            return None
        if not self._overlay or not len(self._overlay.slots):
            return Likeness(asked, tools)
        joined = self._joined(tools.rows, self._overlay)
        return None if joined is None else Likeness(asked, tools, self._overlay.slots, joined)

    def _joined(self, tools: Floats, overlay: Overlay) -> Floats | None:
        """The vectors of tools that have learned, drawn towards what they were asked."""
        if self._learned is None:
            wordings = list(overlay.wordings.values())
            asked = [self.index.asked(text) for texts in wordings for text in texts]
            rows = self._vectors.queries(list(map(self.readable, asked)))
            if rows is None:
                return None
            ends = np.cumsum([len(texts) for texts in wordings])
            means = np.array([part.mean(axis=0) for part in np.split(rows, ends[:-1])], np.float32)
            many = np.array([[len(texts) / (len(texts) + 1)] for texts in wordings], np.float32)
            joined = tools[overlay.slots] + np.float32(WORDING_SHARE) * many * means
            self._learned = unit(joined.astype(np.float32))
        return self._learned


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like tools are to texts, a row for each text: roughly for all tools, exactly for some."""

    asked: Floats
    tools: Vectors
    learned: Slots = field(default_factory=lambda: np.zeros(0, np.intp))
    joined: Floats | None = None
    """The vectors of those that have learned."""

    def rough(self) -> Floats:
        """Of every slot, on a large catalogue not quite exact."""
        axes, rough = self.tools.axes, self.tools.rough
        rows, asked = (self.tools.rows, self.asked) if axes is None or rough is None else (rough, self.asked @ axes)
        found = cast("Floats", asked @ rows.T)
        if self.joined is not None:
            found[:, self.learned] = self.asked @ self.joined.T
        return found

    def of(self, slots: Slots) -> Floats:
        """Of some slots, exactly."""
        rows = self.tools.rows[slots]
        if self.joined is not None:
            places = np.full(len(self.tools.rows), -1)
            places[self.learned] = np.arange(len(self.learned))
            own = places[slots]
            rows[own >= 0] = self.joined[own[own >= 0]]
        return self.asked @ rows.T


def _roughly(rows: Floats) -> tuple[Floats | None, Floats | None]:
    """The directions in which rows differ most, and the rows along them; nothing where it saves nothing."""
    if len(rows) < ROUGH_FROM or rows.shape[1] <= ROUGH_AXES:
        return None, None
    _, axes = np.linalg.eigh(rows.T @ rows)
    kept = np.ascontiguousarray(axes[:, -ROUGH_AXES:], np.float32)
    return kept, rows @ kept


def _longer(rows: Floats, least: int) -> Floats:
    """The rows with room behind them, so that not every tool that comes copies all others."""
    longer = np.zeros((least + least // 8, rows.shape[1]), np.float32)
    longer[: len(rows)] = rows
    return longer


def unit(rows: Floats) -> Floats:
    """Rows of length one; those of nothing stay nothing."""
    lengths: Floats = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1.0
    return rows / lengths
