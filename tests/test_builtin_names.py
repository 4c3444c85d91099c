"""Names of encodings and models, and what is said of an unknown one."""

from __future__ import annotations

import pytest
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING, encoding_name_for_model
from tiktoken_ext.openai_public import ENCODING_CONSTRUCTORS

from tokexplorer.engine.errors import UsageError
from tokexplorer.tokenizers.builtin import find, load, models, names, resolve


def test_every_encoding_of_tiktoken_is_here() -> None:
    assert names() == [*ENCODING_CONSTRUCTORS]
    assert [resolve(name) for name in names()] == names()


def test_every_model_of_tiktoken_resolves_to_its_encoding() -> None:
    assert models() == MODEL_TO_ENCODING
    for model in [*MODEL_TO_ENCODING, *(prefix + "2024-08-06" for prefix in MODEL_PREFIX_TO_ENCODING)]:
        assert resolve(model) == find(model) == encoding_name_for_model(model)


def test_a_name_always_gives_the_same_object() -> None:
    assert load("gpt-4") is load("cl100k_base") is load("gpt-3.5-turbo")
    assert load("text-davinci-003") is load("p50k_base")
    assert load("gpt2") is not load("r50k_base")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gpt22", "gpt2"), ("cl100k", "cl100k_base"), ("GPT-4O", "gpt-4o"), ("text-davinci-03", "text-davinci-003")],
)
def test_an_unknown_name_lists_what_there_is_and_suggests_the_nearest(name: str, hint: str) -> None:
    assert find(name) is None
    with pytest.raises(UsageError) as caught:
        load(name)
    message = str(caught.value)
    assert f"did you mean {hint}" in message
    assert all(known in message for known in names())


@pytest.mark.parametrize("name", ["", "\x1b[31m\n[/INST]", "日本", "x" * 10_000])
def test_a_hostile_name_stays_one_short_printable_line(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(name)
    message = str(caught.value)
    assert message.isprintable()
    assert message.isascii()
    assert len(message) < 400
    assert "did you mean" not in message
