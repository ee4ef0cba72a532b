"""Titles that talk to the reader instead of naming goods: they are never shown to a model.

A shop's title is a heap of nouns. Whoever wants to sway a model must write something else: an order, a sentence, the
words of the answer, mark-up, or hide it in other letters. Such a title stays "unsure", which costs an honest seller
with an odd title no more than the model's opinion. What the request itself says is never suspicious.
"""

from __future__ import annotations

import re
import unicodedata

from ai.prompt import MAX_TITLE, cleaned

_ENGLISH = re.compile(
    r"\b(?:ignor\w*|disregard\w*|forget|overrid\w*|instruct\w*|prompts?|jailbreak\w*|system|assistant|developer|admin|"
    r"user|you|your|must|shall|please|answers?|answered|respon\w*|output\w*|return|reply|replies|verdicts?|decisions?|"
    r"decide\w*|json|schema|index|indices|unsure|identical|equal|equals|equivalent|treat\w*|consider\w*|judge\w*|"
    r"mark\w*|label\w*|classif\w*|approve\w*|accept\w*|reject\w*|evaluat\w*|match|matches|matching|true|false|same|different|"
    r"canary|control|offers?|above|previous|following|everything|nothing|language model|ai model|chatgpt|gpt|llm|"
    r"choose|chosen|select|selected|pick|rules?|confirm\w*|verif\w*|skip|stop|reading|listings?|query|queries|buyers?|"
    r"yes|ok|winner|wins|right choice|list|lists|end of|note to|attention|important|correct|request\w*|candidate\w*)\b"
)
_KOREAN = re.compile(
    r"무시(?:하|해|할|바)|지시|명령|프롬프트|시스템\s*(?::|메시지|메세지|공지|알림)|관리자\s*(?::|모드|권한|지시)|"
    r"응답|출력(?:하|해|할|값)|판정|판단(?:하|해|할|은|을|기준)|간주|처리(?:하|해|할|요망|바)|답(?:하|해|변|은|을)|정답|"
    r"인공지능|언어\s*모델|모델(?:은|에게|아|님)|(?:같은|동일한?|일치하는)\s*(?:상품|제품|물건|것)|상품과\s*(?:동일|같|일치)|"
    r"요청\s*(?:상품|제품|한|하신|과|과의)|(?:위|아래|다른|나머지|모든|이)\s*(?:오퍼|상품들|항목|번호|후보)|후보|번호|항목|"
    r"일치|위와|상동|맞음|맞습|맞아요|찾는|찾으시|거예요|여기까지|목록|가짜|순위|위로\s*올|봇에게|봇은|"
    r"로봇\s*심사|심사|화이트리스트|예외|생략|검증|검수|구매자|읽고|읽는|끝내|다음\s*상품|이후\s*상품|ai\s*(?:에게|님|야|는|가\b|:)|선택하|골라\s*(?:줘|주|야)|고르|고를|"
    r"반드시|절대|확정|승인|채택|거절|오퍼|규칙|역할|대답|결과값|제이슨"
)
_ENDING = re.compile(
    r"(?:십시오|하시오|시오|하라|해라|세요|해줘|할것|할 것|바람|바랍니다|합니다|입니다|됩니다|습니다|이다|하다|"
    r"한다|된다|상품임|제품임|물건임|동일함|같음)(?=$|[\s.!?,)\]~])"
)
_PARTICLE = re.compile(
    r"[가-힣](?:을|를|에게|라고|이라고|하여|하면|으로서|이므로|므로|에서|까지는|보다는)(?=$|[\s.!?,)\]])"
)
_STOP = re.compile(
    r"\b(?:the|this|that|these|is|are|as|to|be|it|all|any|every|not|do|only|if|then|has|have|was|will|no)\b"
)
_MARKUP = re.compile(
    r"[\"'“”]\s*:|\]\s*\}|\}\s*\]|</|/>|<!--|<\||\|>|```|###|\[/?(?:inst|sys)|\\[nrtu]|\b[vri]\s*[=:]|=>|->|:=|=="
)
_SPACED = re.compile(
    r"(?:(?<![a-z])[a-z][\s._*-]+){4,}[a-z](?![a-z])|(?:(?<![가-힣])[가-힣][\s._*-]+){4,}[가-힣](?![가-힣])"
)
_CODED = re.compile(r"[a-z0-9+/]{28,}={0,2}|(?:%[0-9a-f]{2}){4,}|(?:&#x?[0-9a-f]+;){2,}|(?:\\x[0-9a-f]{2}){3,}")
_LEET = str.maketrans("013457@$!", "oieastasi")


def speaks(title: str, request: str = "") -> bool:
    """Whether a title is anything but a name of goods, for a request in which some of these words may be names."""
    if len(title) > 4 * MAX_TITLE or _hidden(title):
        return True
    text = unicodedata.normalize("NFKC", title).casefold()
    asked = unicodedata.normalize("NFKC", request).casefold()
    if _MARKUP.search(text) or _CODED.search(text) or _SPACED.search(text):
        return True
    plain = cleaned(text, 4 * MAX_TITLE)
    for form in (plain, plain.translate(_LEET)):
        words = {match.group() for pattern in (_ENGLISH, _KOREAN) for match in pattern.finditer(form)}
        if any(word not in asked for word in words):
            return True
    return bool(_ENDING.search(plain)) or len(_PARTICLE.findall(plain)) > 1 or len(_STOP.findall(plain)) > 1


def _hidden(title: str) -> bool:
    """Characters that no shop needs: invisible ones, other directions, letters that look like Latin ones, Chinese."""
    kinds = [unicodedata.category(char) for char in title]
    if any(
        kind in ("Cf", "Cs", "Co", "Cn", "Zl", "Zp") or (kind == "Cc" and char not in "\t\n\r")
        for kind, char in zip(kinds, title, strict=True)
    ):
        return True
    if "\n" in title or "\r" in title or "\t" in title:
        return True
    return sum(_foreign(char) for char in title) > 2


def _foreign(char: str) -> bool:
    if not char.isalpha() or char.isascii() or "가" <= char <= "힣" or "ㄱ" <= char <= "ㆎ":
        return False
    return not ("À" <= char <= "ɏ" or "Ａ" <= char <= "ｚ")
