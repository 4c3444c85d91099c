"""Files: opening texts wherever they are, keeping large ones where they are, writing own ones whole."""
