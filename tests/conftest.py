"""How many processes run the tests."""

from __future__ import annotations

import os


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as processors: tests in a terminal wait more than they compute."""
    return (os.cpu_count() or 1) * 3 // 2
