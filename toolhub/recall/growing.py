"""A sequence that only grows: the next one shares what is there with the one it came from."""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T], Generic[T]):
    """Values that never change; `plus` gives the longer sequence without copying these."""

    __slots__ = ("_count", "_values")

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._values = list(values)
        self._count = len(self._values)

    def plus(self, more: Iterable[T]) -> "Growing[T]":
        """The sequence with more values; where another has grown out of this one already, apart from it."""
        longer = Growing[T]()
        longer._values = self._values if len(self._values) == self._count else self._values[: self._count]
        longer._values.extend(more)
        longer._count = len(longer._values)
        return longer

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return self._values[: self._count][place]
        if 0 <= place < self._count:
            return self._values[place]
        return self._values[range(self._count)[place]]
