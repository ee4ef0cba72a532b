"""Asks Naver's shopping API with whichever key may be asked.

One call tries each key at most once: on 429 and on a refused key the next one answers for it. When none can, the error
says which of the two it was.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from crawl.malls.naver import BAD_KEY, QUOTA, error_code
from crawl.text import decode
from errors import BadKey, Blocked, NoKey, RateLimited

if TYPE_CHECKING:
    from crawl.http import HttpFetcher
    from crawl.keyring import Key, KeyRing
    from crawl.mall import Body

_log = logging.getLogger("crawl.naver")
_FORBIDDEN = 403
_REFUSED = (401, _FORBIDDEN)


class NaverApi:
    """Naver's API behind its keys."""

    def __init__(self, http: HttpFetcher, ring: KeyRing, timeout_s: float) -> None:
        self._http = http
        self._ring = ring
        self._timeout_s = timeout_s
        """Seconds one call may take."""

    def get(self, url: str, deadline: float) -> Body:
        """The answer to the first key that is accepted, before `deadline` (`time.monotonic()` seconds).

        Raises:
            NoKey: no key was given.
            RateLimited: every key has to wait; `after_s` says how long.
            BadKey: every key is refused.
            Blocked: this visitor is, whatever the key.
            UpstreamTimeout, UpstreamDown, DeadlineExceeded: as HttpFetcher.get.
        """
        if not self._ring.keys:
            raise NoKey("네이버 API 키가 없습니다: NAVER_KEYS=id:secret 을 설정하세요", kind="no_key")
        for key in self._ring.usable():
            secret = {"X-Naver-Client-Id": key.id, "X-Naver-Client-Secret": key.secret, "Accept": "*/*"}
            body = self._http.get(url, deadline, secret, follow=False, timeout_s=self._timeout_s)
            if body.status == _FORBIDDEN and not _code(body):
                # The API says what is wrong with a key; a bare 403 stands before the API and would greet any key.
                raise Blocked("네이버가 이 주소의 접근을 거부합니다 (HTTP 403)", kind="http_403")
            if not self._set_aside(key, body):
                self._ring.accepted(key)
                return body
        if self._ring.all_refused:
            raise BadKey("네이버가 모든 API 키를 거부합니다: NAVER_KEYS 를 확인하세요", kind="key")
        limited = RateLimited("네이버 API 호출 한도에 걸렸습니다", kind="http_429")
        limited.after_s = self._ring.free_in_s
        raise limited

    def _set_aside(self, key: Key, body: Body) -> bool:
        """Whether this key could not answer; the ring then knows why."""
        if body.status != 429 and body.status not in _REFUSED:
            return False
        code = _code(body)
        if body.status in _REFUSED or code in BAD_KEY:
            _log.warning("[naver] 키 %s… 거부됨 (HTTP %s, errorCode %s)", key.id[:4], body.status, code or "-")
            self._ring.refused(key)
        else:
            daily = code == QUOTA
            _log.warning("[naver] 키 %s… 한도 초과 (%s) → 다음 키", key.id[:4], "하루" if daily else "초당")
            self._ring.limited(key, daily=daily, after_s=body.retry_after_s)
        return True


def _code(body: Body) -> str:
    return error_code(decode(body.content) if isinstance(body.content, bytes) else body.content)
