"""Where the user's files are: settings, sessions, caches, progress of the lessons. The only user of platformdirs.

Nothing here creates anything; who writes makes the folder first. The folders follow the platform's rules (on Linux
`XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_CACHE_HOME`); TOKEXPLORER_HOME puts all of them into one folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

HOME_VARIABLE: Final = "TOKEXPLORER_HOME"
_NAME: Final = "tokexplorer"


def home() -> Path | None:
    """The one folder for everything that TOKEXPLORER_HOME names; None where it is not set or empty."""
    value = os.environ.get(HOME_VARIABLE, "")
    return Path(value).expanduser().absolute() if value else None


def config_file() -> Path:
    """The settings file; it need not exist."""
    own = home()
    if own is not None:
        return own / "settings.toml"
    from platformdirs import user_config_path

    return user_config_path(_NAME, appauthor=False).absolute() / "settings.toml"


def state_folder() -> Path:
    """What the program remembers from run to run."""
    own = home()
    if own is not None:
        return own / "state"
    from platformdirs import user_state_path

    return user_state_path(_NAME, appauthor=False).absolute()


def sessions_folder() -> Path:
    """The saved sessions, one file each."""
    return state_folder() / "sessions"


def lessons_file() -> Path:
    """How far the reader has come in the lessons."""
    return state_folder() / "lessons.json"


def cache_folder() -> Path:
    """What can be made again at any time."""
    own = home()
    if own is not None:
        return own / "cache"
    from platformdirs import user_cache_path

    return user_cache_path(_NAME, appauthor=False).absolute()
