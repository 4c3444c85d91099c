"""Where a traveller wants to go: `120`, `+50`, `-3`, `v512`, `end` as a step."""

from __future__ import annotations

from tokexplorer.engine.errors import UsageError
from tokexplorer.session import Snapshot

FORMS = "120, +50, -3, v512 (vocabulary size) or end"


def parse_step(text: str, snapshot: Snapshot) -> int:
    """The step that a typed place means; UsageError says which forms there are, or why it cannot be."""
    words = text.strip().lower().replace(",", "").replace("_", "")
    if words in ("end", "e"):
        return max(snapshot.target_step, snapshot.known)
    relative = words[:1] in ("+", "-")
    vocabulary = words[:1] == "v"
    digits = words[1:].strip() if relative or vocabulary else words
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError(f"a step is {FORMS}")
    if len(digits) > 9:
        raise UsageError("that is farther than any vocabulary goes")
    number = int(digits)
    if vocabulary:
        return snapshot.history.step_for_size(number)
    if relative:
        step = snapshot.step + (number if words[0] == "+" else -number)
        return max(0, step)
    return number


def parse_target(text: str, base_size: int) -> int:
    """A vocabulary size that can be a target; UsageError where it cannot."""
    digits = text.strip().lower().removeprefix("v").replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise UsageError("a target is a vocabulary size, such as 1000")
    if int(digits) < base_size:
        raise UsageError(f"a target of {digits} is below the {base_size} symbols that training starts from")
    return int(digits)
