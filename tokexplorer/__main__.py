"""The entry point of `tokexplorer` and `python -m tokexplorer`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program with the arguments of this process; the exit status."""
    try:
        from tokexplorer.cli import main as run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
