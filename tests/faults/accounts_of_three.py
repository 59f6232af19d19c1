#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""People sign up and in at three servers behind haproxy with PostgreSQL: tests that any server answers any step.

Usage: accounts_of_three.py --kbase PROGRAM [--people 30]
Each request goes through haproxy on a connection of its own, so the next server answers it. Each person signs up, opens
the mailed link, creates, rotates and revokes keys, and signs out or deletes the account. After each step, every server
is asked directly: it must know the session and the key, or know them no longer. Of requests with the same token to all
servers at once, one signs in. Exit code 77: haproxy, Redis or PostgreSQL is missing.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import quopri
import re

from cluster import Cluster, skip_unless_complete
from processes import record_result, run_to_end, wait_for

REVOKED_WITHIN = 5.0  # seconds; see docs/operations/scaling.md
OWN_PAGE = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}


class Accounts(Cluster):
    def __init__(self, options):
        super().__init__(options.kbase)
        self.options = options
        self.read = set()  # mails
        self.address = "127.0.0.2"  # of the person, because the sign-ups of an address are limited

    def settings(self):
        outbox = {"plugin": "outbox", "config": {"from": "docs@example.org", "folder": self.path("outbox")}}
        return {**super().settings(), "signup": {"mode": "open", "public_url": "http://docs.example.org"}, "mail": outbox}

    # ---- requests

    def send(self, port, method, path, body=None, cookie=None, key=None):
        """Returns status, data and session cookie of the response to a request on a connection of its own."""
        headers = dict(OWN_PAGE)
        if cookie:
            headers["Cookie"] = f"kbase_session={cookie}"
        if key:
            headers["Authorization"] = f"Bearer {key}"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(self.address, 0))
        connection.request(method, "/api/v1" + path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        found = re.match(r"kbase_session=(\w*)", response.getheader("Set-Cookie") or "")
        return response.status, json.loads(text).get("data") if text else None, found.group(1) if found else None

    def ask(self, *request, wanted=200, **session):
        """Sends a request through haproxy, checks the status, and returns data and cookie."""
        status, data, cookie = self.send(self.front_port, *request, **session)
        if status != wanted:
            self.fail(f"{request[0]} {request[1]} got {status}, not {wanted}")
        return data, cookie

    def on_all(self, *request, **session):
        """Returns the statuses of all servers."""
        return {self.send(server.port, *request, **session)[0] for server in self.servers}

    def check_on_all(self, what, wanted, *request, **session):
        statuses = self.on_all(*request, **session)
        if statuses != {wanted}:
            self.fail(f"{what}: the servers answer {statuses}, not {wanted}")

    def next_token(self):
        mails = []

        def has_come():
            folder = pathlib.Path(self.path("outbox"))
            mails[:] = [mail for mail in folder.glob("*.eml") if mail not in self.read] if folder.exists() else []
            return mails
        wait_for("the mail", has_come, 20)
        if len(mails) != 1:
            self.fail(f"{len(mails)} mails were sent in place of one")
        self.read.update(mails)
        return re.search(rb"/account/confirm#(\w+)", quopri.decodestring(mails[0].read_bytes())).group(1).decode()

    # ---- steps

    def sign_up(self, email):
        """Returns the session."""
        self.ask("POST", "/accounts", {"email": email}, wanted=202)
        token = self.next_token()
        with concurrent.futures.ThreadPoolExecutor(len(self.servers)) as pool:
            answers = list(pool.map(lambda server: self.send(server.port, "POST", "/sessions/confirm", {"token": token}),
                                    self.servers))
        if sorted(status for status, _, _ in answers) != [200, 400, 400]:
            self.fail(f"a token used at three servers at once: {answers}")
        return next(cookie for status, _, cookie in answers if status == 200)

    def sign_in(self, email):
        self.ask("POST", "/sessions", {"email": email}, wanted=202)
        return self.ask("POST", "/sessions/confirm", {"token": self.next_token()})[1]

    def use_keys(self, session):
        created = self.ask("POST", "/account/keys", {"name": "site"}, wanted=201, cookie=session)[0]
        self.check_on_all("a new key", 200, "GET", "/categories", key=created["key"])
        rotated = self.ask("POST", f"/account/keys/{created['id']}/rotate", {}, cookie=session)[0]
        self.check_on_all("a rotated key", 200, "GET", "/categories", key=rotated["key"])
        listed = self.ask("GET", "/account", cookie=session)[0]
        if [key["id"] for key in listed["keys"]] != [created["id"]]:
            self.fail(f"the account lists {listed['keys']}")
        self.ask("DELETE", f"/account/keys/{created['id']}", wanted=204, cookie=session)
        self.wait_for_refusal(rotated["key"])

    def wait_for_refusal(self, key):
        wait_for("all servers to refuse a key", lambda: self.on_all("GET", "/categories", key=key) == {401}, REVOKED_WITHIN)

    def run(self):
        self.start_all()
        for number in range(self.options.people):
            email = f"person{number}@example.org"
            self.address = f"127.0.0.{2 + number}"
            session = self.sign_up(email)
            self.check_on_all("a new session", 200, "GET", "/account", cookie=session)
            self.use_keys(session)
            self.ask("DELETE", "/sessions", wanted=204, cookie=session)
            self.check_on_all("a session that was ended", 401, "GET", "/account", cookie=session)
            session = self.sign_in(email)
            key = self.ask("POST", "/account/keys", {"name": "kept"}, wanted=201, cookie=session)[0]["key"]
            self.ask("DELETE", "/account", wanted=204, cookie=session)
            self.check_on_all("the session of a deleted account", 401, "GET", "/account", cookie=session)
            self.wait_for_refusal(key)
        print(f"{self.options.people} people signed up, in and out at {len(self.servers)} servers")
        record_result("accounts at three servers, any of which answers", "nothing", self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--people", type=int, default=30)
    options = parser.parse_args()
    skip_unless_complete()
    run_to_end(Accounts(options))


if __name__ == "__main__":
    main()
