"""Embedded data: vocabularies, reported glitch tokens, parallel paragraphs. See NOTICE.md for sources."""
