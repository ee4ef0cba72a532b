"""Korean first, English when asked for: `?lang=`, then the cookie, then Accept-Language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import g, request

from web import texts

if TYPE_CHECKING:
    from flask import Flask, Response

COOKIE = "lps_lang"
YEAR_S = 365 * 24 * 3600


def choose() -> str:
    """The language of this request, one of texts.LANGUAGES."""
    for wish in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if wish in texts.LANGUAGES:
            return str(wish)
    return request.accept_languages.best_match(texts.LANGUAGES, default=texts.LANGUAGES[0]) or texts.LANGUAGES[0]


def text(key: str, **values: object) -> str:
    """A text of web/texts.py in the language of this request."""
    return texts.text(g.lang, key, **values)


def _other() -> str:
    return next(language for language in texts.LANGUAGES if language != g.lang)


def _remember(response: Response) -> Response:
    if request.method == "GET" and request.args.get("lang") in texts.LANGUAGES:
        response.set_cookie(COOKIE, g.lang, max_age=YEAR_S, httponly=True, samesite="Lax", secure=request.is_secure)
    response.headers.setdefault("Content-Language", g.lang)
    response.vary.update(("Accept-Language", "Cookie"))
    return response


def install(app: Flask) -> None:
    """Choose before every view, remember a switch after it."""

    def choose_first() -> None:
        g.lang = choose()

    app.before_request(choose_first)
    app.after_request(_remember)
    app.jinja_env.globals |= {"t": text, "lang": lambda: g.lang, "other_lang": _other}
