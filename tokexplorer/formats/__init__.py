"""Reading and writing tokenizer files."""
