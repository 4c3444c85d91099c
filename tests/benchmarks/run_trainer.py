"""One training in a process of its own: `python run_trainer.py TRAINER FILE SIZE` prints its figures as JSON.

Imports nothing of the project but for the trainer `tokexplorer`, so it runs in whatever Python has the peers. Time runs
from the file to the vocabulary, imports apart; processor time is that of all threads and workers, imports included;
memory is the peak of this process alone.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PART = 1 << 18


def parts(path: str) -> Iterator[str]:
    """The file in parts of some lines."""
    with open(path, encoding="utf-8", newline="") as file:
        while lines := file.readlines(PART):
            yield "".join(lines)


def tokexplorer(path: str, size: int) -> Callable[[], int]:
    from tokexplorer import counting
    from tokexplorer.engine.splits import named
    from tokexplorer.engine.training import BpeTrainer

    def train() -> int:
        trainer = BpeTrainer(counting.build_corpus([counting.open_file(path)], named("gpt2")))
        trainer.run(size - len(trainer.alphabet))
        return trainer.vocab_size

    return train


def tokenizers(path: str, size: int) -> Callable[[], int]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)

    def train() -> int:
        tokenizer.train([path], trainer)
        return int(tokenizer.get_vocab_size())

    return train


def rustbpe(path: str, size: int) -> Callable[[], int]:
    import rustbpe as peer

    def train() -> int:
        tokenizer = peer.Tokenizer()
        tokenizer.train_from_iterator(parts(path), size, pattern=PATTERN)
        return len(tokenizer.get_mergeable_ranks())

    return train


def bpeasy(path: str, size: int) -> Callable[[], int]:
    import bpeasy as peer

    return lambda: len(peer.train_bpe(parts(path), PATTERN, 1 << 20, size))


def ffbpe(path: str, size: int) -> Callable[[], int]:
    import ffbpe as peer

    def train() -> int:
        counter = peer.PreTokenizer([], pat_str=PATTERN).word_counter()
        counter.add_source(parts(path))
        trainer = peer.BpeTrainer([])
        trainer.add_word_counter(counter)
        trainer.train(size)
        return len(trainer.validate_model().vocab)

    return train


def gigabpe(path: str, size: int) -> Callable[[], int]:
    import gigabpe as peer

    return lambda: len(peer.train_bpe([path], size, special_tokens=[])[0])


TRAINERS: dict[str, Any] = {f.__name__: f for f in (tokexplorer, tokenizers, rustbpe, bpeasy, ffbpe, gigabpe)}


def main(trainer: str, path: str, size: int) -> None:
    """Train and print."""
    try:
        train = TRAINERS[trainer](path, size)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    start = time.perf_counter()
    made = train()
    seconds = time.perf_counter() - start
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = sum(usage.ru_utime + usage.ru_stime for usage in (own, workers))
    memory = own.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024)
    print(json.dumps({"seconds": seconds, "processor": processor, "memory": memory, "vocabulary": made}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
