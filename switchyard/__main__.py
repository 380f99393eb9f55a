"""`python -m switchyard`, from any folder."""

import os
import sys


def leave_the_current_folder_out() -> None:
    """`python -m` imports from the current folder first: a `typer.py` there would be run in place of the real one."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  pathlib is not loaded yet
    if not sys.flags.safe_path and sys.path[0] != ours:
        del sys.path[0]


def main() -> None:
    """Run the shell; the console script `switchyard` begins here."""
    import atexit  # noqa: PLC0415  the current folder is out by now
    import gc  # noqa: PLC0415  the same

    from switchyard.app.cli import cli  # noqa: PLC0415  the same

    # thousands of module-level objects need no collecting in a process that ends: without this, half a second of it
    atexit.register(gc.freeze)
    cli()


if __name__ == "__main__":
    leave_the_current_folder_out()
    main()
