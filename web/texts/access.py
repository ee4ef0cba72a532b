"""Signing in."""

from __future__ import annotations

ACCESS: dict[str, tuple[str, str]] = {
    "login.title": ("로그인", "Sign in"),
    "login.name": ("이름", "Name"),
    "login.password": ("비밀번호", "Password"),
    "login.submit": ("로그인", "Sign in"),
    "login.link_lead": ("이 링크는 한 번만 쓸 수 있습니다.", "This link works once."),
    "login.help": (
        "비밀번호가 없으면 lps up이 출력한 링크를 열거나, 관리자에게 lps account login-link를 부탁하세요.",
        "Without a password, open the link that lps up printed, or ask an admin for lps account login-link.",
    ),
    "login.wrong": (
        "이름이나 비밀번호가 맞지 않거나, 여러 번 틀려 잠시 잠겼습니다.",
        "Name or password is wrong, or the account is locked for a while after too many tries.",
    ),
    "login.link_over": (
        "이미 썼거나 기한이 지난 링크입니다. lps account login-link로 새로 만드세요.",
        "This link was used or is too old. Make another one with lps account login-link.",
    ),
}
