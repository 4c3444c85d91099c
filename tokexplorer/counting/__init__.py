"""Counting chunks in files of any size, in several processes or on a cluster; count files. No screen, no training."""

from __future__ import annotations

from tokexplorer.counting.files import ChunkCounts, counts_of, is_counts, parse_counts, read_counts, write_counts
from tokexplorer.counting.local import count_files
from tokexplorer.counting.workers import build_corpus
from tokexplorer.files.file_documents import FileDocument, open_file

__all__ = [
    "ChunkCounts",
    "FileDocument",
    "build_corpus",
    "count_files",
    "counts_of",
    "is_counts",
    "open_file",
    "parse_counts",
    "read_counts",
    "write_counts",
]
