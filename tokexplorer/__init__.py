"""tokexplorer: a time-travel debugger for tokenizers. This module owns the version and imports nothing heavy."""

__version__ = "0.1.0"
