"""`python -m app` and the console script `switchyard`."""

import atexit
import gc
import sys


def main() -> None:
    """Run the shell; a package that shadows one of ours gets a sentence, not a traceback."""
    from app.shadowing import ShadowedPackage, check_own_packages  # noqa: PLC0415  before anything else is imported

    try:
        check_own_packages()
    except ShadowedPackage as error:
        sys.stderr.write(f"switchyard: {error}\n")
        raise SystemExit(2) from None
    from app.cli import cli  # noqa: PLC0415  our own packages are known to be ours now

    # thousands of module-level objects need no collecting in a process that ends: without this, half a second of it
    atexit.register(gc.freeze)
    cli()


if __name__ == "__main__":
    main()
