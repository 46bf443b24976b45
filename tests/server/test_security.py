"""Who is let in, how often, and what is never told."""

from __future__ import annotations

import httpx
import pytest
from serving import say, start_talk

from visavis.server.database import ServerDatabase
from visavis.server.errors import TooMuchError
from visavis.server.security import COOKIE, RateLimiter
from visavis.server.services.accounts import Users


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_pages_of_other_sites_change_nothing(client, talk, headers):
    assert client.post(f"/conversations/{talk}/undo", headers=headers).status_code == 403
    assert client.delete(f"/conversations/{talk}", headers=headers).status_code == 403
    assert client.get(f"/conversations/{talk}").status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_sites_read_nothing_and_cause_no_work(local, keyed, client, tmp_path, monkeypatch, site):
    def look(path):
        raise AssertionError(f"{path} was looked at")

    monkeypatch.setattr("visavis.server.routes.jobs.list_folders", look)
    answers = [
        client.get("/folders", params={"path": str(path)}, headers={"Sec-Fetch-Site": site})
        for path in (tmp_path, tmp_path / "none")
    ]
    told = [answer.json()["error"] | {"request_id": ""} for answer in answers]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert told[0] == told[1]
    for path in ("/me", "/health", "/conversations", f"/shared/{'x' * 20}"):
        assert client.get(path, headers={"Sec-Fetch-Site": site}).status_code == 403
        with keyed.client("admin") as admin:
            assert admin.get(path, headers={"Sec-Fetch-Site": site}).status_code == 403
    assert client.get("/me", headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//", "http://a:b:c"])
def test_an_origin_that_is_no_address_is_another_site(keyed, log_lines, origin):
    """Whoever could reach the server could fill its log with tracebacks, and no limit counted it."""
    with keyed.client() as nobody:
        assert nobody.get("/health", headers={"Origin": origin}).status_code == 403
    assert not [line for line in log_lines if "Traceback" in line]


def test_a_link_to_a_page_may_be_followed_from_anywhere(local):
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    framed = followed | {"Sec-Fetch-Dest": "iframe"}
    loaded = followed | {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    page = f"{local.url}/c/colours"
    assert [httpx.get(page, headers=headers).status_code for headers in (followed, framed, loaded)] == [200, 403, 403]
    assert httpx.get(page, headers={"Sec-Fetch-Site": "none"}).status_code == 200


def test_our_own_page_may(local, client, talk):
    headers = {"Origin": local.url, "Sec-Fetch-Site": "same-origin", "X-Visavis": "1"}
    assert client.patch(f"/conversations/{talk}", json={"name": "mine"}, headers=headers).status_code == 200


def test_a_session_needs_its_header_to_change_anything(keyed):
    with keyed.client() as client:
        assert client.post("/session", json={"key": "vv_wrong"}).status_code == 401
        answer = client.post("/session", json={"key": keyed.keys["write"]})
        assert answer.json() == {"user": "write", "role": "write", "mode": "keys", "version": answer.json()["version"]}
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/me").json()["user"] == "write"
        body = {"collection": "colours"}
        assert client.post("/conversations", json=body).status_code == 403
        assert client.post("/conversations", json=body, headers={"X-Visavis": "1"}).status_code == 201
        assert client.delete("/session").status_code == 204
        assert client.get("/me").status_code == 401


def test_a_session_that_was_logged_out_of_is_over_for_copies_of_its_cookie(keyed):
    with keyed.client() as client:
        client.post("/session", json={"key": keyed.keys["write"]})
        cookie = client.cookies[COOKIE]
        with keyed.client(cookies={COOKIE: cookie}) as copy, keyed.client() as other:
            other.post("/session", json={"key": keyed.keys["write"]})
            assert copy.get("/me").status_code == 200
            assert client.delete("/session").status_code == 204
            assert copy.get("/me").status_code == 401
            assert other.get("/me").status_code == 200  # another session of the same user


def test_links_of_a_revoked_user_are_dead(start):
    with start("keys") as running, running.client("write") as client, running.client() as anybody:
        talk = start_talk(client)
        say(client, talk, "red")
        token = client.post(f"/conversations/{talk}/share").json()["token"]
        assert anybody.get(f"/shared/{token}").status_code == 200
        records = ServerDatabase(running.settings.home)
        Users(records).revoke("write")
        assert anybody.get(f"/shared/{token}").status_code == 404
        Users(records).add("write", "write")
        records.close()
        assert anybody.get(f"/shared/{token}").status_code == 404


def test_a_forged_session_is_none(keyed):
    with keyed.client() as client:
        client.post("/session", json={"key": keyed.keys["read"]})
        cookie = client.cookies[COOKIE]
        for forged in (cookie[:-2] + "xx", "WyJhZG1pbiIsIngiXQ.aaaa.bbbb", "", "x" * 5000):
            with keyed.client(cookies={COOKIE: forged}) as other:
                assert other.get("/me").status_code == 401


def test_a_revoked_key_ends_its_sessions_at_once(start):
    with start("keys") as running, running.client("write") as client, running.client() as page:
        page.post("/session", json={"key": running.keys["write"]})
        assert client.get("/me").status_code == page.get("/me").status_code == 200
        records = ServerDatabase(running.settings.home)
        Users(records).revoke("write")
        assert client.get("/me").status_code == page.get("/me").status_code == 401
        key = Users(records).add("write", "read")
        records.close()
        assert page.get("/me").status_code == 401
        assert (
            httpx.get(f"{running.url}/api/v1/me", headers={"Authorization": f"Bearer {key}"}).json()["role"] == "read"
        )


def test_a_key_in_the_address_is_no_key(keyed):
    with keyed.client() as client:
        key = keyed.keys["admin"]
        for name in ("key", "api_key", "token", "access_token"):
            assert client.get("/me", params={name: key}).status_code == 401
        assert client.get("/me", headers={"Authorization": f"Basic {key}"}).status_code == 401
        assert client.get("/me").headers["www-authenticate"].startswith("Bearer")


def test_wrong_keys_cannot_be_tried_for_ever(start):
    with start("keys", failed_login_rate=0.01, failed_login_burst=5) as running, running.client() as client:
        statuses = [client.post("/session", json={"key": f"vv_{n}"}).status_code for n in range(8)]
        assert statuses == [401] * 5 + [429] * 3
        headers = {"Authorization": "Bearer vv_x"}
        assert client.get("/me", headers=headers).status_code == 429


def test_a_bucket_fills_up_again():
    now = [0.0]
    buckets = RateLimiter(2.0, 3, lambda: now[0])
    for _ in range(3):
        buckets.take("anna")
    with pytest.raises(TooMuchError) as refused:
        buckets.take("anna")
    assert refused.value.retry_after == pytest.approx(0.5)
    buckets.take("bert")
    now[0] = 0.5
    buckets.take("anna")
    with pytest.raises(TooMuchError):
        buckets.take("anna")
    now[0] = 1000.0
    for _ in range(3):
        buckets.take("anna")
    with pytest.raises(TooMuchError):
        buckets.take("anna")


def test_each_user_has_limits_of_their_own(start):
    body, path = {"text": "red"}, "/collections/colours/search"
    with (
        start("keys", heavy_rate=0.01, heavy_burst=2) as running,
        running.client("read") as one,
        running.client("write") as other,
    ):
        assert [one.post(path, json=body).status_code for _ in range(4)] == [200, 200, 429, 429]
        refused = one.post(path, json=body)
        assert int(refused.headers["retry-after"]) > 1
        assert refused.json()["error"]["code"] == "too_much"
        assert other.post(path, json=body).status_code == 200
        assert one.get("/collections").status_code == 200  # what is light has a limit of its own


def wrong_key(client, address):
    headers = {"Authorization": "Bearer vv_wrong", "X-Forwarded-For": address}
    return client.get("/me", headers=headers).status_code


@pytest.mark.parametrize(("proxies", "others"), [(("127.0.0.1",), 401), (("192.0.2.7",), 429), ((), 429)])
def test_a_proxy_that_was_named_is_believed_where_requests_come_from(start, proxies, others):
    with (
        start("keys", proxies=proxies, failed_login_rate=0.001, failed_login_burst=2) as running,
        running.client() as client,
    ):
        assert [wrong_key(client, "203.0.113.1") for _ in range(3)] == [401, 401, 429]
        assert wrong_key(client, "203.0.113.2") == others  # somebody else
