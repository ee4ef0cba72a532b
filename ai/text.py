"""One spelling for Korean product words: folding, near spellings, Latin against Hangul by sound."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase

_FIRST, _LAST, _VOWELS, _FINALS = 0xAC00, 0xD7A3, 21, 28
# Initials ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ: the tense ones are written either way in loan words (까스, 가스).
_INITIAL = (0, 0, 2, 3, 3, 5, 6, 7, 7, 9, 9, 11, 12, 12, 14, 15, 16, 17, 18)
# Vowels ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ: ㅐ=ㅔ, ㅒ=ㅖ, ㅙ=ㅚ=ㅞ sound alike.
_VOWEL = (0, 5, 2, 7, 4, 5, 6, 7, 8, 9, 11, 11, 12, 13, 14, 11, 16, 17, 18, 19, 20)
# After ㅅ ㅈ ㅊ a glide of a loan word is silent (쥬스, 주스; 쉐이크, 셰이크; 쉬, 시).
_AFTER_SIBILANT = {2: 0, 6: 4, 7: 5, 11: 5, 12: 8, 17: 13, 16: 20}
_SIBILANTS = {9, 12, 14}
_SAME_FINAL = {20: 19, 7: 19, 25: 19, 22: 19, 26: 17, 24: 1, 2: 1}
# An f before a liquid is heard as h or as p (후라이팬, 프라이팬).
_F = re.compile(r"후(?=[라레리로])|훼(?=이)|휘(?=[리니])")
_F_AS_P = {"후": "프", "훼": "페", "휘": "피"}


def _folded(code: int) -> int:
    initial, rest = divmod(code - _FIRST, _VOWELS * _FINALS)
    vowel, final = divmod(rest, _FINALS)
    initial, vowel = _INITIAL[initial], _VOWEL[vowel]
    if initial in _SIBILANTS:
        vowel = _AFTER_SIBILANT.get(vowel, vowel)
    return _FIRST + (initial * _VOWELS + vowel) * _FINALS + _SAME_FINAL.get(final, final)


_FOLD = {code: _folded(code) for code in range(_FIRST, _LAST + 1)}
_HANGUL = re.compile("[가-힣]+")


def fold(text: str) -> str:
    """The text (lower case already) with spellings of the same sound made one."""
    return _F.sub(lambda found: _F_AS_P[found[0]], text).translate(_FOLD)


def is_hangul(text: str) -> bool:
    """Whether every character is a Hangul syllable."""
    return _HANGUL.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def near(word: str) -> re.Pattern[str] | None:
    """Pattern of the word with one vowel written otherwise (소세지, 소시지); None for words too short to be safe."""
    if len(word) < 3 or not is_hangul(word):
        return None
    return re.compile("|".join(word[:at] + _vowel_class(word[at]) + word[at + 1 :] for at in range(len(word))))


def _vowel_class(syllable: str) -> str:
    initial, rest = divmod(ord(syllable) - _FIRST, _VOWELS * _FINALS)
    final = rest % _FINALS
    return "[" + "".join(chr(_FIRST + (initial * _VOWELS + vowel) * _FINALS + final) for vowel in range(_VOWELS)) + "]"


_SOUND_INITIAL = "kkntt" + "r" + "mpp" + "ss" + "-" + "jjj" + "ktph"
_SOUND_FINAL = {
    0: "",
    1: "k",
    2: "k",
    4: "n",
    7: "t",
    8: "r",
    16: "m",
    17: "p",
    19: "t",
    20: "t",
    21: "n",
    22: "t",
    23: "t",
}
_LATIN = (
    ("ght", "t"), ("tch", "j"), ("sch", "s"), ("ch", "j"), ("sh", "s"), ("ph", "p"), ("th", "s"), ("ck", "k"),
    ("ng", "n"), ("qu", "k"), ("x", "ks"), ("c", "k"), ("q", "k"), ("g", "k"), ("f", "p"), ("v", "p"), ("b", "p"),
    ("d", "t"), ("l", "r"), ("z", "j"),
)  # fmt: skip


_VOWEL_GROUPS = re.compile("[aeiouyw]+")


@lru_cache(maxsize=4096)
def sound(word: str) -> str:
    """Consonant skeleton of a Hangul or Latin word: 로지텍 gives "rjtk", logitech its neighbour "rktj"."""
    if is_hangul(word):
        raw = "".join(_syllable_sound(ord(character) - _FIRST) for character in word)
    else:
        raw = word
        for latin, heard in _LATIN:
            raw = raw.replace(latin, heard)
        raw = re.sub(r"r(?=[^aeiouyr]|$)", "", raw)
        raw = re.sub(r"[^a-z]|[aeiouywh]", "", raw)
    return re.sub(r"(.)\1+", r"\1", raw)


def _syllable_sound(offset: int) -> str:
    initial, rest = divmod(offset, _VOWELS * _FINALS)
    first = _SOUND_INITIAL[initial] if initial < len(_SOUND_INITIAL) else ""
    return first.replace("-", "").replace("h", "") + _SOUND_FINAL.get(rest % _FINALS, "")


def alike(latin: str, hangul: str, *, consonants: int = 3) -> bool:
    """Whether a Latin word may be a Hangul word written out (logitech, 로지텍), by at least so many consonants.

    Where there are only two, the syllables must be as many as well.
    """
    one, other = sound(latin), sound(hangul)
    if min(len(one), len(other)) < consonants or _opens(latin) != _opens(hangul):
        return False
    if len(one) == 2 and abs(len(_VOWEL_GROUPS.findall(latin)) - len(hangul)) > (len(hangul) > 2):
        return False
    return any(one.replace("j", heard) == other.replace("j", heard) for heard in ("j", "k", "s"))


def _opens(word: str) -> str:
    """How a word begins: with a vowel, an h, or another consonant."""
    if is_hangul(word):
        initial = (ord(word[0]) - _FIRST) // (_VOWELS * _FINALS)
        return {11: "vowel", 18: "h"}.get(initial, "consonant")
    return "vowel" if word[0] in "aeiouyw" else "h" if word[0] == "h" else "consonant"


_LETTER_NAMES = (
    "에이 비 씨 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 알 에스 티 유 브이 더블유 엑스 와이 제트"
)
_LETTERS = dict(zip(ascii_lowercase, _LETTER_NAMES.split(), strict=True))
_NAMES = {fold(name): letter for letter, name in _LETTERS.items()}
_SPELLED = re.compile("|".join(sorted(_NAMES, key=len, reverse=True)))


_CLIPPED = {"크": 1, "그": 1, "트": 19, "드": 19, "프": 17, "브": 17}
"""Syllables that are written as the final consonant before them as well (후크, 훅; 로보트, 로봇)."""
_SPOKEN = {1: "크", 19: "트", 17: "프"}


def clippings(word: str) -> set[str]:
    """A folded Hangul word with one such syllable drawn together, or taken apart."""
    if not is_hangul(word) or len(word) < 2:
        return set()
    out = set()
    for at, syllable in enumerate(word):
        final = (ord(syllable) - _FIRST) % _FINALS
        following = word[at + 1 : at + 2]
        if final == 0 and following in _CLIPPED:
            out.add(word[:at] + chr(ord(syllable) + _CLIPPED[following]) + word[at + 2 :])
        elif final in _SPOKEN and at == len(word) - 1:
            out.add(word[:at] + chr(ord(syllable) - final) + _SPOKEN[final])
    return {one for one in out if len(one) > 1}


def spelled(word: str) -> str:
    """A Latin word of two to four letters as it is read out (ex: 이엑스), or such a reading as letters; else ""."""
    if word.isascii():
        return fold("".join(_LETTERS[letter] for letter in word)) if word.isalpha() and 2 <= len(word) <= 4 else ""
    letters = _SPELLED.findall(word)
    return "".join(_NAMES[name] for name in letters) if len(letters) > 1 and "".join(letters) == word else ""
