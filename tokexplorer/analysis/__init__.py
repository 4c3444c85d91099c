"""Pure functions on a tokenizer: what it does to numbers, spaces, languages, and to its own vocabulary."""
