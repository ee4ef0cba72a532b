"""Every way to set something wrongly: one line each, with place and remedy, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import config
from errors import BadConfig

if TYPE_CHECKING:
    from tests.config.conftest import Place

FILE = "config.local.toml"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[web]\nprot = 1", "[web] prot: unknown key; did you mean port?"),
        ("[web]\nzzz = 1", "[web] zzz: unknown key; known are host, hosts, open, "),
        ("[search]\nconcurrency = 1", "[search] concurrency: unknown key; did you mean [worker] concurrency?"),
        ("[alert.dead]\nlimt = 1", "[alert.dead] limt: unknown key; did you mean limit?"),
        ("[wbe]\nport = 1", "[wbe]: unknown section; did you mean web?"),
        ("[WEB]\nport = 1", "[WEB]: unknown section; did you mean web?"),
        ("[maindbconfig]\nhost = 'a'", "[maindbconfig]: unknown section; did you mean MainDBConfig?"),
        ("[MainDBConfig]\npwd = 'a'", "[MainDBConfig] pwd: unknown key; did you mean pw?"),
        ("port = 1", "port: stands outside any section; did you mean [sandbox] port?"),
        ("web = 1", "web: should be a section: write [web]"),
        ("MainDBConfig = 1", "MainDBConfig: should be a section: write [MainDBConfig]"),
        ("[alert]\ndead = 1", "alert.dead: should be a section: write [alert.dead]"),
        ("[web]\nport = '1'", "[web] port: should be a valid integer; the built-in one is port = 9600"),
        ("[web]\nport = true", "[web] port: should be a valid integer; the built-in one is port = 9600"),
        ("[web]\nport = 70000", "[web] port: should be less than or equal to 65535; the built-in one is port = 9600"),
        ("[search]\nfresh_s = nan", "[search] fresh_s: should be a finite number; the built-in one is fresh_s = 21600"),
        ("[database]\nmax_overflow = -2", "[database] max_overflow: should be greater than or equal to -1; "),
        ("[ai]\nmodel = ''", '[ai] model: should not be empty; the built-in one is model = "gpt-4o-mini"'),
        ("[ai]\nbase_url = 'x.kr'", '[ai] base_url: should be an address like "https://www.example.com"; '),
        ("[log]\nlevel = 'loud'", "[log] level: should be 'debug', 'info', 'warning' or 'error'; "),
        ("[browser]\nheadless = 'yes'", "[browser] headless: should be a valid boolean; "),
        ("[database]\nurl = 'mysql://a'", '[database] url: should be an address like "postgresql://user'),
        ("[alert]\nwebhook = 'slack'", '[alert] webhook: should be an address like "https://hooks.'),
        ("[periodic]\nprune = '0 0 * * 0'", "[periodic] prune: the scheduler never fires on weekday 0 or sun: "),
    ],
)
def test_it_names_the_place_and_the_remedy(place: Place, text: str, line: str) -> None:
    """A wrong key or value in a file is one line: file, key, what is wrong, what to write."""
    found = place.mistakes(text)
    assert len(found) == 1
    assert found[0].startswith(f"{FILE}: {line}")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("LPS_WEB__PROT", "1", "unknown variable; did you mean LPS_WEB__PORT?"),
        ("LPS_WEB_PORT", "1", "unknown variable; did you mean LPS_WEB__PORT?"),
        ("lps_web__port", "1", "unknown variable; did you mean LPS_WEB__PORT?"),
        ("LPS_ALERT_DEAD", "1", "unknown variable; did you mean LPS_ALERT_DEAD_1H?"),
        ("LPS_AI__APIKEY_FILE", "/x", "unknown variable; did you mean LPS_AI__API_KEY_FILE?"),
        ("LPS_QQQQQQQQQQ", "1", "unknown variable; write LPS_<BLOCK>__<KEY>, as in LPS_WEB__PORT"),
        ("LPS_WEB__PORT", "", "should be a valid integer; the built-in one is port = 9600"),
        ("DB_PORT", "many", "should be a valid integer; the built-in one is port = 5432"),
        ("LPS_SANDBOX__ON", "maybe", "should be a valid boolean; the built-in one is on = false"),
        ("NAVER_KEYS", "only-an-id", "key 1 is not understood: write "),
        ("NAVER_KEYS", '[{"id": "a", "secret": "b"}, {"id": "c"}]', "key 2 is not understood: write "),
        ("NAVER_KEYS", "[{", "key 1 is not understood: write "),
        ("DECODO_HOST", "gate.example", "needs port, user, password too: set them, or unset host"),
        ("DECODO_PASSWORD", "x", "needs [proxy] host too: set it, or unset password"),
        ("DECODO_PASSWORT", "x", "unknown variable; did you mean DECODO_PASSWORD?"),
        ("LPS_PROXY__COUNTRY", "Korea", "should match pattern"),
        ("LPS_COUPANG__HOSTS", "https://a.example", "'https://a.example' is no host name: write it as in example.com"),
        ("OPENAI_API_KEY_FILE", "/not/there", "the file it names cannot be read (No such file or directory); "),
        ("LPS_AI__MODEL", "gpt-9", "has no price: add a row for it to [ai] prices (known are gpt-4.1-mini, "),
        ("LPS_AI__PRICES", "[{", "should be the list of config.toml, written as JSON; "),
        ("LPS_AI__PRICES", '[{"model": "m", "since": "soon"}]', "row 1 should be {model = "),
        ("LPS_AI__TIMEOUT_S", "60", "is longer than [ai] deadline_s (25): make it shorter"),
        ("LPS_MONEY__OVER", "stop", "should be 'rules' or 'refuse'; the built-in one is over = "),
        ("DB_NAME", "lps_sandbox", "is the other world's database, this start is live: "),
    ],
)
def test_it_names_the_variable_and_the_remedy(place: Place, name: str, text: str, line: str) -> None:
    """A wrong variable is one line that begins with its name."""
    found = place.mistakes(**{name: text})
    assert len(found) == 1
    assert found[0].startswith(f"{name}: {line}")


@pytest.mark.parametrize("name", ["LPS_TEST_DATABASE_URL", "LPS_LIVE", "LPS_PYTHON"])
def test_it_passes_variables_that_are_not_settings(place: Place, name: str) -> None:
    """The tests' and the launcher's own variables share the prefix."""
    assert place.load(**{name: "1"}).web.port == 9600


def test_it_lists_all_mistakes_at_once(place: Place) -> None:
    """One run shows every mistake of every layer, checks across blocks included."""
    found = place.mistakes(
        "[web]\nprot = 1\nport = 'x'\n[search]\ndeadline_s = 5\n", DB_PORT="x", LPS_FOO="1", DECODO_HOST="x"
    )
    assert sorted(line.partition(": ")[0] for line in found) == ["DB_PORT", "DECODO_HOST", "LPS_FOO"] + [FILE] * 3


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"[web]\nport = \n", f"{FILE}:2: is not TOML: "),
        (b"[web]\nport = 1\n[web]\n", f"{FILE}:3: is not TOML: "),
        (b"[web", f"{FILE}:"),
        (b"[log]\n# \xb0\xa1\n", f"{FILE}: is not UTF-8 (byte 8); save it as UTF-8"),
    ],
)
def test_it_says_where_a_file_stops_being_toml(place: Place, content: bytes, line: str) -> None:
    """File and line, or what else is wrong with the file."""
    (place.root / FILE).write_bytes(content)
    assert place.mistakes()[0].startswith(line)


def test_it_reads_a_file_that_a_windows_editor_saved(place: Place) -> None:
    """A byte order mark is no mistake."""
    (place.root / FILE).write_bytes(b"\xef\xbb\xbf[web]\r\nport = 9601\r\n")
    assert place.load().web.port == 9601


def test_it_refuses_a_further_file_that_is_not_there(place: Place) -> None:
    """LPS_CONFIG is not a wish."""
    assert "not-there.toml: cannot be read (No such file" in place.mistakes(LPS_CONFIG="/not-there.toml")[0]


def test_it_refuses_two_local_files(place: Place) -> None:
    """Which of the two counts would be a guess."""
    place.write("[web]\nport = 1\n", "config/config.local.toml")
    assert "keep one of the two" in place.mistakes("[web]\nport = 2\n")[0]


def test_it_refuses_an_empty_secret_file(place: Place) -> None:
    """An empty mount is a mistake, not an empty password."""
    file = place.write("\n", "secret")
    assert place.mistakes(DB_PASSWORD_FILE=str(file))[0].startswith("DB_PASSWORD_FILE: the file it names is empty")


def test_it_refuses_one_setting_said_twice_differently(place: Place) -> None:
    """Old and new name, or variable and file, must agree within a layer."""
    assert place.load("[database]\nhost = 'a'\n[MainDBConfig]\nhost = 'a'\n").database.host == "a"
    place.write("[database]\nhost = 'a'\n[MainDBConfig]\nhost = 'b'\n")
    found = place.mistakes(DB_PORT="1", LPS_DATABASE__PORT="2")
    assert (
        found[0]
        == f"{FILE}: [MainDBConfig] host: says something else than {FILE}: [database] host; keep one of the two"
    )
    assert found[1] == "LPS_DATABASE__PORT: says something else than DB_PORT; keep one of the two"


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [("DB_HOST", "b", "host"), ("DB_NAME", "b", "name"), ("DB_USER", "b", "user"), ("DB_PASSWORD", "b", "password")],
)
def test_it_refuses_an_address_and_a_part_that_differ(place: Place, name: str, text: str, key: str) -> None:
    """The whole address and its parts may both be set only if they say the same."""
    url = "postgresql://a:a@a:5432/a"
    found = place.mistakes(**{"LPS_DATABASE__URL": url, name: text})
    assert found == [f"LPS_DATABASE__URL: names another {key} than {name}; keep one of the two"]
    assert place.load(**{"LPS_DATABASE__URL": url, name: "a"}).database.external


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[search]\ndeadline_s = 30", "[search] deadline_s: is 30, but config.toml: [coupang] deadline_s is 30: "),
        ("[naver]\ntimeout_s = 21", "[naver] timeout_s: is longer than [naver] deadline_s (20): "),
        ("[queue]\nmin_backoff_s = 61", "[queue] min_backoff_s: is more than [queue] max_backoff_s (60): "),
    ],
)
def test_it_refuses_times_that_do_not_fit_into_each_other(place: Place, text: str, line: str) -> None:
    """A part is shorter than the whole."""
    found = place.mistakes(text)
    assert len(found) == 1
    assert found[0].startswith(f"{FILE}: {line}")


def test_it_refuses_a_built_in_file_without_a_key(place: Place) -> None:
    """config.toml is complete; a key lost from it is not guessed."""
    cut = place.write(config.BUILT_IN.read_text(encoding="utf-8").replace("port = 9600\n", ""), "config.toml")
    with pytest.raises(BadConfig, match=r"^config.toml: \[web\] port: is missing; put the key back$"):
        config.load(env={}, root=place.root, built_in=cut)
