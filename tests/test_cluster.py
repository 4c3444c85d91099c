"""Counting on a real Dask cluster of two worker processes: equal to counting here, also when one is killed midway."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tokexplorer import counting
from tokexplorer.counting import cluster as counting_cluster
from tokexplorer.engine.corpus import Cancelled, TextDocument
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.splits import compile_split, named

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50, host="127.0.0.1"
    ) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for number in range(3):
        text = "".join(
            f"Zeile {i % 991} von {number}: größer's x_{i} = {i * i}\n\n  drin {i % 7}\n" for i in range(30_000)
        )
        (folder / f"part{number}.txt").write_bytes(b"\xff" * number + text.encode())
    (folder / "empty.txt").write_bytes(b"")
    return folder


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting_cluster, "RANGE", 100_000)
    monkeypatch.setattr(counting_cluster, "_CONNECT", 2.0)


def paths_in(folder: Path) -> list[str]:
    return [str(folder / name) for name in ("part1.txt", "empty.txt", "part0.txt", "part2.txt")]


def shape(counts: counting.ChunkCounts) -> object:
    return list(counts.counts.items()), counts.stats, counts.left_out


@pytest.mark.parametrize("split", ["gpt2", "o200k", "lines", r"\w+|\s+"])
def test_the_cluster_counts_as_this_machine_does(cluster: Any, folder: Path, split: str) -> None:
    told: list[tuple[int, int]] = []
    ours = counting.count_files(
        paths_in(folder), compile_split(split), cluster.scheduler_address, lambda *now: told.append(now)
    )
    alone = counting.count_files(paths_in(folder), compile_split(split))
    assert shape(ours) == shape(alone)
    assert told == sorted(told)
    assert told[-1] == (ours.stats.bytes, ours.stats.bytes)


def test_globs_and_urls_are_counted_in_the_order_of_their_names(cluster: Any, folder: Path) -> None:
    address = cluster.scheduler_address
    alone = counting.count_files([str(folder / f"part{i}.txt") for i in range(3)], named("gpt2"))
    for path in (f"{folder}/part*.txt", f"file://{folder}/part?.txt"):
        assert shape(counting.count_files([path], named("gpt2"), address)) == shape(alone)


def test_a_worker_that_is_killed_midway_changes_nothing(cluster: Any, folder: Path) -> None:
    alone = counting.count_files(paths_in(folder), named("gpt2"))
    with distributed.Client(cluster.scheduler_address) as client:
        before = set(client.run(os.getpid).values())
    assert len(before) == 2
    victim = min(before)
    told: list[int] = []

    def progress(done: int, total: int) -> None:
        told.append(done)
        if 0 < done < total and len(told) < 10_000:
            told.extend([done] * 10_000)
            os.kill(victim, signal.SIGKILL)

    ours = counting.count_files(paths_in(folder), named("gpt2"), cluster.scheduler_address, progress)
    assert len(told) > 10_000
    assert shape(ours) == shape(alone)
    with distributed.Client(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=30)
        assert victim not in client.run(os.getpid).values()


def test_a_bound_holds_on_the_cluster(cluster: Any, folder: Path) -> None:
    ours = counting.count_files(
        paths_in(folder), named("gpt2"), cluster.scheduler_address, min_chunk_count=2, max_chunks=500
    )
    assert len(ours.counts) == 500
    assert sum(ours.counts.values()) + ours.left_out == ours.stats.chunks


def test_it_can_be_stopped_and_used_again(cluster: Any, folder: Path) -> None:
    address = cluster.scheduler_address
    with pytest.raises(Cancelled):
        counting.count_files(paths_in(folder), named("gpt2"), address, should_stop=lambda: True)
    assert counting.count_files(paths_in(folder)[:2], named("gpt2"), address).stats.bytes > 0


def test_what_is_wrong_is_said_in_a_line(cluster: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    split, address = named("gpt2"), cluster.scheduler_address
    for paths, message in [
        ([str(folder / "none.txt")], "no such file"),
        ([str(folder / "none*.txt")], "no file matches"),
        ([str(folder)], "is a directory"),
        (["nosuch://x"], "nosuch"),
    ]:
        with pytest.raises(InputError, match=message) as caught:
            counting.count_files(paths, split, address)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no Dask cluster at tcp://127"):
        counting.count_files(paths_in(folder), split, "tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="standard input"):
        counting.count_files([TextDocument("-", b"")], split, address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"tokexplorer\[dask\]"):
        counting.count_files(paths_in(folder), split, address)


def test_a_file_that_changes_meanwhile_is_noticed(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"some words " * 100_000)

    def progress(done: int, total: int) -> None:
        with open(path, "ab") as file:
            file.write(b"more")

    with pytest.raises(InputError, match="changed"):
        counting.count_files([str(path)], named("gpt2"), cluster.scheduler_address, progress)


def test_local_starts_a_cluster_of_its_own(folder: Path) -> None:
    done: list[counting.ChunkCounts] = []
    work = threading.Thread(
        target=lambda: done.append(counting.count_files(paths_in(folder)[:2], named("gpt2"), "local"))
    )
    start = time.monotonic()
    work.start()
    work.join(120)
    assert time.monotonic() - start < 120
    assert shape(done[0]) == shape(counting.count_files(paths_in(folder)[:2], named("gpt2")))
