# SPDX-License-Identifier: Apache-2.0
"""Calls the operations that change something: accounts, and the content."""
import gzip
import json
import pathlib
import quopri
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import wait_for  # noqa: E402

OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
FOREIGN_PAGE = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
UNKNOWN_TOKEN = "0" * 64


def is_change(operation):
    """Whether the operation changes something, or belongs to an account."""
    return operation.node["tags"][0] in ("accounts", "writing") or operation.id == "giveFeedback"


class Changes:
    def __init__(self, exchange, operations):
        self.exchange, self.operations = exchange, operations

    def send(self, operation_id, status, headers=None, body=None, target=None):
        operation = self.operations[operation_id]
        return self.exchange.send_request(operation, target or operation.path, {status}, headers, body)


class AccountChanges(Changes):
    """`outbox`: folder of the mails that the server sends."""

    def __init__(self, exchange, operations, outbox):
        super().__init__(exchange, operations)
        self.outbox, self.read = pathlib.Path(outbox), set()

    def next_token(self):
        """Waits for the next mail and returns the token of its link."""
        unread = lambda: set(self.outbox.glob("*.eml")) - self.read
        wait_for("a mail", unread, 30)
        mail = min(unread())
        self.read.add(mail)
        return re.search(rb"/account/confirm#(\w+)", quopri.decodestring(mail.read_bytes())).group(1).decode()

    def sign_in(self, operation_id):
        """Returns the cookie of a session."""
        self.send(operation_id, 202, JSON, json.dumps({"email": "reader@example.org"}))
        answer = self.send("confirmSignIn", 200, JSON, json.dumps({"token": self.next_token()}))
        return {"Cookie": dict(answer.headers)["Set-Cookie"].split(";")[0]}

    def try_requests_for_links(self):
        email = json.dumps({"email": "reader@example.org"})
        for name in ("signUp", "requestSignIn"):
            for bad in ("", "{", "[]", "{}", '{"email":7}', '{"email":"no address"}', '{"email":"a@b\\r\\nBcc: c@d"}'):
                self.send(name, 400, JSON, bad)
            self.send(name, 415, {"Content-Type": "text/plain"}, email)
            self.send(name, 403, {**JSON, **FOREIGN_PAGE}, email)
            self.send(name, 401, {**JSON, "Authorization": "Bearer kb_nothing"}, email)
        for bad in ("{}", json.dumps({"token": UNKNOWN_TOKEN}), json.dumps({"token": "<b>"})):
            self.send("confirmSignIn", 400, JSON, bad)
        self.send("confirmSignIn", 403, {**JSON, **FOREIGN_PAGE}, json.dumps({"token": UNKNOWN_TOKEN}))

    def try_sessions(self):
        paths = {"deleteKey": "/account/keys/key_none", "rotateKey": "/account/keys/key_none/rotate"}
        for name in ("getAccount", "createKey", "rotateKey", "deleteKey", "deleteAccount"):
            body = json.dumps({"name": "my site"}) if name == "createKey" else None
            for cookie in ({}, {"Cookie": "kbase_session=" + UNKNOWN_TOKEN}):
                self.send(name, 401, {**JSON, **OWN_PAGE, **cookie}, body, paths.get(name))
            self.send(name, 403, {**JSON, **FOREIGN_PAGE}, body, paths.get(name))

        self.send("endSession", 204, OWN_PAGE)
        self.send("endSession", 403, FOREIGN_PAGE)

    def try_keys(self, cookie):
        page = {**JSON, **OWN_PAGE, **cookie}
        name = json.dumps({"name": "my site"})
        for bad in ("", "{}", '{"name":""}', '{"name":7}', '{"name":"a\\u0000b"}'):
            self.send("createKey", 400, page, bad)
        self.send("createKey", 415, {**page, "Content-Type": "text/plain"}, name)
        keys = [json.loads(self.send("createKey", 201, page, name).body)["data"] for _ in range(5)]
        self.send("createKey", 409, page, name)
        self.send("rotateKey", 200, page, None, f"/account/keys/{keys[0]['id']}/rotate")
        self.send("getAccount", 200, cookie)
        for key in keys:
            self.send("deleteKey", 204, page, None, f"/account/keys/{key['id']}")
        self.send("deleteKey", 404, page, None, f"/account/keys/{keys[0]['id']}")
        self.send("rotateKey", 404, page, None, f"/account/keys/{keys[0]['id']}/rotate")

    def run(self):
        self.try_requests_for_links()
        self.try_sessions()
        cookie = self.sign_in("signUp")
        self.try_keys(cookie)
        self.send("endSession", 204, {**OWN_PAGE, **cookie})
        self.send("getAccount", 401, cookie)
        self.send("deleteAccount", 204, {**OWN_PAGE, **self.sign_in("requestSignIn")})


class FeedbackChanges(Changes):
    def run(self):
        path = "/item/guide%2Fcompression/feedback"
        for bad in ("", "[]", "{}", '{"helpful":"yes"}', '{"helpful":true,"comment":7}',
                    json.dumps({"helpful": True, "comment": "x" * 2001})):
            self.send("giveFeedback", 400, JSON, bad, path)
        self.send("giveFeedback", 200, JSON, '{"helpful":true}', path)
        self.send("giveFeedback", 200, JSON, '{"helpful":false,"comment":"outdated"}', path)
        self.send("giveFeedback", 404, JSON, '{"helpful":true}', "/item/none/feedback")
        self.send("giveFeedback", 415, {"Content-Type": "text/plain"}, '{"helpful":true}', path)
        self.send("giveFeedback", 401, {**JSON, "Authorization": "Bearer kb_nothing"}, '{"helpful":true}', path)


class ContentChanges(Changes):
    """`key` has the scope `write`, `read_key` only the scope `read`."""

    ITEM = {"title": "Written", "category": "guide", "content": "Written by a test.", "tags": ["test"]}

    def __init__(self, exchange, operations, key, read_key):
        super().__init__(exchange, operations)
        self.key, self.read_key = {"Authorization": f"Bearer {key}"}, {"Authorization": f"Bearer {read_key}"}

    def item(self, operation_id, status, headers=None, body=None, item_id="written/item"):
        return self.send(operation_id, status, {**self.key, **(headers or {})}, body, f"/item/{item_id}")

    def try_items(self):
        item = json.dumps(self.ITEM)
        for bad in ("", "{", "[]", "{}", '{"title":7,"category":"guide"}', '{"type":"category","title":"a"}'):
            self.item("putItem", 400, JSON, bad)
        self.item("putItem", 415, {"Content-Type": "text/plain"}, item)
        self.item("putItem", 412, {**JSON, "If-Match": "*"}, item)
        created = dict(self.item("putItem", 201, {**JSON, "If-None-Match": "*"}, item).headers)
        self.item("putItem", 412, {**JSON, "If-None-Match": "*"}, item)
        self.item("putItem", 412, {**JSON, "If-Match": '"other"'}, item)
        read = dict(self.item("getItem", 200).headers)
        if created["ETag"] != read["ETag"]:
            self.exchange.faults.append("putItem returns another ETag than getItem")
        changed = json.dumps({**self.ITEM, "title": "Changed"})
        self.item("putItem", 200, {**JSON, "If-Match": created["ETag"]}, changed)
        self.item("putItem", 200, JSON, changed)
        self.item("deleteItem", 412, {"If-Match": created["ETag"]})
        self.item("deleteItem", 204)
        self.item("deleteItem", 404)
        for name in ("putItem", "deleteItem"):
            body = item if name == "putItem" else None
            self.item(name, 400, JSON, body, "%ff")
            self.item(name, 401, {**JSON, "Authorization": "Bearer kb_nothing"}, body)
            self.send(name, 401, JSON, body, "/item/written")
            self.send(name, 403, {**JSON, **self.read_key}, body, "/item/written")

    def load(self, status, lines, query="?source=test", headers=None):
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return self.send("importItems", status, {**self.key, **LINES, **(headers or {})},
                         gzip.compress(body) if headers else body, "/import" + query)

    def try_imports(self):
        items = [{"id": f"test/{number}", **self.ITEM} for number in range(3)]
        for query in ("", "?source=", "?source=test&prune=yes", "?source=test&on_error=x", "?source=test&dry_run=2",
                      "?source=%ff", "?source=a&source=b"):
            self.load(400, items, query)
        self.load(400, [*items, {"id": "test/bad"}])
        self.send("importItems", 415, {**self.key, "Content-Type": "text/plain"}, b"{}", "/import?source=test")
        self.send("importItems", 401, LINES, b"{}", "/import?source=test")
        self.send("importItems", 403, {**LINES, **self.read_key}, b"{}", "/import?source=test")
        self.load(200, items, "?source=test&dry_run=true")
        self.load(200, [*items, {"id": "test/bad"}], "?source=test&on_error=skip")
        self.load(200, items, "?source=test", {"Content-Encoding": "gzip"})
        self.load(200, items[:1], "?source=test&prune=true")
        self.load(400, [], "?source=test&prune=true")
        self.load(200, [], "?source=test&prune=true&prune_limit=100")

    def run(self):
        self.try_items()
        self.try_imports()
