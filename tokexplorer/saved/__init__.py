"""Sessions on disk: saved on a clock, locked, and taken up again."""
