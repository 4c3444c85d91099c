"""Facts from the embedded lists: languages, models and their embeddings, reported glitch tokens."""

from __future__ import annotations

from tokexplorer.analysis.budget import MODELS, embedding_parameters
from tokexplorer.analysis.glitch import Reported, load_reported
from tokexplorer.analysis.languages import Paragraph, load_paragraphs
from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.asking import fact
from tokexplorer.lessons.lesson import Value
from tokexplorer.lessons.moment import Moment
from tokexplorer.tokenizers.builtin import find


def _paragraph(language: str) -> Paragraph:
    for found in load_paragraphs():
        if found.name == language:
            return found
    raise InputError(f"there is no paragraph in {language}")


@fact(language="text", tokenizer="text")
def language_tokens(moment: Moment, language: str, tokenizer: str) -> Value:
    """How many tokens the embedded paragraph takes in a language."""
    return len(moment.find(tokenizer).encode(_paragraph(language).text.encode()))


@fact(language="text")
def language_characters(moment: Moment, language: str) -> Value:
    """How many characters the embedded paragraph has in a language."""
    return len(_paragraph(language).text)


@fact(language="text", tokenizer="text")
def language_cost(moment: Moment, language: str, tokenizer: str) -> Value:
    """The paragraph's tokens in a language by those in English, to one place after the point."""
    encode = moment.find(tokenizer).encode
    return round(len(encode(_paragraph(language).text.encode())) / len(encode(_paragraph("English").text.encode())), 1)


@fact(vocabulary="number", width="number")
def embedding(moment: Moment, vocabulary: int, width: int) -> Value:
    """The numbers in an embedding table: one row of `width` numbers for each id."""
    return embedding_parameters(vocabulary, width)


@fact(model="text")
def model_parameters(moment: Moment, model: str) -> Value:
    """All parameters of a published model."""
    for found in MODELS:
        if found.name == model:
            return found.parameters
    raise InputError(f"{model} is none of {', '.join(m.name for m in MODELS)}")


@fact(model="text")
def model_width(moment: Moment, model: str) -> Value:
    """The numbers in one row of a published model's embedding table."""
    for found in MODELS:
        if found.name == model:
            return found.width
    raise InputError(f"{model} is none of {', '.join(m.name for m in MODELS)}")


@fact(model="text")
def model_tokenizer(moment: Moment, model: str) -> Value:
    """The encoding that a model such as `gpt-4` uses."""
    return find(model) or ""


def _reported(text: str, encoding: str) -> Reported | None:
    for found in load_reported():
        if found.encoding == encoding and found.data == text.encode():
            return found
    return None


@fact(text="text", encoding="text")
def reported(moment: Moment, text: str, encoding: str) -> Value:
    """1 where a token of an encoding (`r50k_base` is GPT-2's) stands in the list of reported glitch tokens, else 0."""
    return int(_reported(text, encoding) is not None)


@fact(encoding="text")
def reported_count(moment: Moment, encoding: str) -> Value:
    """How many tokens of an encoding stand in the list of reported glitch tokens."""
    return sum(1 for found in load_reported() if found.encoding == encoding)


@fact()
def language_count(moment: Moment) -> Value:
    """In how many languages the embedded paragraph is at hand."""
    return len(load_paragraphs())


@fact(text="text", encoding="text")
def reported_kind(moment: Moment, text: str, encoding: str) -> Value:
    """What kind of string a reported glitch token is."""
    found = _reported(text, encoding)
    if found is None:
        raise InputError(f"{text!r} was not reported for {encoding}")
    return found.category


@fact(text="text", encoding="text")
def reported_models(moment: Moment, text: str, encoding: str) -> Value:
    """In how many models a reported token was measured to be under-trained."""
    found = _reported(text, encoding)
    if found is None:
        raise InputError(f"{text!r} was not reported for {encoding}")
    return found.models


@fact(model="text")
def model_vocabulary(moment: Moment, model: str) -> Value:
    """The vocabulary size of a published model."""
    for found in MODELS:
        if found.name == model:
            return found.vocabulary
    raise InputError(f"{model} is none of {', '.join(m.name for m in MODELS)}")
