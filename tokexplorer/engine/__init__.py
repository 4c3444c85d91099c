"""The engine: pure Python and `regex`; no input or output, no screen, no tiktoken."""
