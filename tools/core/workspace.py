"""Paths stay in the workspace, whatever a model or a user writes."""

from pathlib import Path

from tools.core.errors import ToolFailed


def resolve_inside(workspace: Path, path: str) -> Path:
    """The real path of `path` inside `workspace`.

    Links are followed before the check, so that one pointing outside is refused too.

    Raises:
        ToolFailed: with kind `permission` when the path leaves the workspace.
    """
    root = workspace.resolve()
    try:
        real = (root / Path(path).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ToolFailed(f"'{path}' is not a usable path: {error}.", kind="bad_arguments") from error
    if real != root and root not in real.parents:
        raise ToolFailed(
            f"'{path}' is outside the workspace {root}; only paths inside it can be used.", kind="permission"
        )
    return real


def shown(workspace: Path, path: Path) -> str:
    """`path` as people name it: relative to the workspace, with forward slashes."""
    relative = path.relative_to(workspace.resolve())
    return relative.as_posix()
