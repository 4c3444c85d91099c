"""Characters younger than the Unicode tables inside Hugging Face tokenizers 0.23: its normalisers leave them as they
are, so ours must. Found by trying every character of Unicode 14 in its NFC, NFKC and BertNormalizer."""

from __future__ import annotations

from typing import Final


def _set(ranges: str) -> frozenset[str]:
    points: set[str] = set()
    for part in ranges.split():
        first, _, last = part.partition("-")
        points.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return frozenset(points)


UNFORMED: Final = _set(
    """
    07FD 0898-089F 08CA-08D3 09FE 0C3C 0D3B-0D3C 0EBA 1715 1ABF-1ACE 1DF6-1DFA 32FF A7F2-A7F4 A82C AB69
    10781-10785 10787-107B0 107B2-107BA 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 11070 1133B 1145E
    11839-1183A 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 16FF0-16FF1 1E130-1E136 1E2AE
    1E2EC-1E2EF 1F16C 1FBF0-1FBF9
    """
)
"""They have a decomposition or a combining class, of which its normal forms know nothing."""

KEPT_MARKS: Final = _set(
    """
    07FD 0890-0891 0898-089F 08CA-08E2 09FE 0AFA-0AFF 0B55 0C04 0C3C 0D00 0D3B-0D3C 0D81 0EBA 180F 1885-1886
    1ABF-1ACE 1DF6-1DFB A82C A8C5 A8FF A9BD 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 11070 11073-11074
    110C2 110CD 111C9 111CF 1123E 1133B 11438-1143F 11442-11444 11446 1145E 1182F-11837 11839-1183A 1193B-1193C
    1193E 11943 119D4-119D7 119DA-119DB 119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 11A51-11A56 11A59-11A5B
    11A8A-11A96 11A98-11A99 11C30-11C36 11C38-11C3D 11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6
    11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11EF3-11EF4 13430-13438 16F4F 16FE4
    1CF00-1CF2D 1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E130-1E136 1E2AE
    1E2EC-1E2EF 1E944-1E94A
    """
)
"""They are marks or format characters that its BERT normaliser does not strip."""
