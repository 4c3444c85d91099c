"""The topics of `inspect`: each as lines for a reader and as JSON values, for one tokenizer at a time."""
