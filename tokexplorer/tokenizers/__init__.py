"""One protocol for every tokenizer: learned here, embedded, or loaded from a file."""
