"""Runs the notebooks from top to bottom; `python -m tests.support.notebooks` runs all and keeps what they show."""

import shutil
import tempfile
from pathlib import Path
from typing import Any, cast

import nbformat
from nbclient import NotebookClient

from switchyard.app.places import ROOT
from tests.support.surroundings import own_environment

FOLDER = ROOT / "notebooks"
SECONDS_PER_CELL = 300


def run(name: str, folder: Path) -> Any:
    """The notebook as it is after a run in an empty workspace, with settings and caches below the folder."""
    workspace = folder / "workspace"
    workspace.mkdir()
    shutil.copy(FOLDER / "pictures.py", workspace)
    notebook = cast("Any", nbformat).read(FOLDER / name, as_version=4)
    own = {variable: str(folder) for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR", "TMPDIR")}
    options = {"timeout": SECONDS_PER_CELL, "record_timing": False, "coalesce_streams": True}
    client = cast("Any", NotebookClient)(notebook, resources={"metadata": {"path": str(workspace)}}, **options)
    return client.execute(env=own_environment(folder, **own))


def shown(notebook: Any) -> list[str]:
    """What each cell prints, and the kinds of what it shows besides."""
    found: list[str] = []
    for cell in notebook.cells:
        outputs: list[Any] = cell.get("outputs", [])
        parts = [one.text if one.output_type == "stream" else " ".join(sorted(one.data)) + "\n" for one in outputs]
        found.append("".join(parts))
    return found


def main() -> None:
    """Run all, and keep what they show."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(path.name, Path(folder))
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
        cast("Any", nbformat).write(notebook, path)


if __name__ == "__main__":
    main()
