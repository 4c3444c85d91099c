"""How long the embedded tokenizers take to load and to encode: `python tests/benchmarks/builtin_loading.py`.

Prints, for each, milliseconds to the vocabulary, then to the first encoded text, and for 10 MB of the sample texts the
seconds, the tokens and the peak memory of the process so far.
"""

from __future__ import annotations

import resource
from pathlib import Path
from time import perf_counter

from tokexplorer.tokenizers.builtin import load, names

SIZE = 10_000_000


def main() -> None:
    samples = Path(__file__).parents[2] / "sample_texts"
    text = b"".join(path.read_bytes() for path in sorted(samples.iterdir()))
    text = (text * (SIZE // len(text) + 1))[:SIZE]
    for name in names():
        tokenizer = load(name)
        began = perf_counter()
        tokenizer.token_bytes(0)
        read = perf_counter()
        tokenizer.encode(b"x")
        ready = perf_counter()
        tokens = len(tokenizer.encode(text))
        done = perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{name:14} vocabulary {1000 * (read - began):5.1f} ms   first text {1000 * (ready - read):5.1f} ms   ",
            end="",
        )
        print(f"10 MB {done - ready:.2f} s, {tokens:,} tokens   peak {peak} MB")


if __name__ == "__main__":
    main()
