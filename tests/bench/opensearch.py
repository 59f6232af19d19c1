# SPDX-License-Identifier: Apache-2.0
"""OpenSearch server on this machine that answers the same pages: 20 hits with excerpts and the exact total.

All words are searched in one field that combines title, tags and content, which is the fastest way. The excerpt
comes from the content, whose offsets are indexed, so that no text is analyzed again.
"""
import gzip
import json
import time
import urllib.error
import urllib.parse
import urllib.request

INDEX = "kbase-bench"
BATCH_BYTES = 4 << 20
FALLBACK_BELOW = 10
TOO_BUSY = 429  # its heap is full for a moment
TIMEOUT = 60
TEXT = {"type": "text", "analyzer": "english"}
MAPPING = {
    "settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": -1},
    "mappings": {"dynamic": False, "properties": {
        "all": TEXT,
        "title": {**TEXT, "copy_to": "all"},
        "tags": {**TEXT, "copy_to": "all"},
        "content": {**TEXT, "copy_to": "all", "index_options": "offsets"},
        "category": {"type": "keyword"},
    }},
}


def query_of(mode, words):
    if mode == "phrase":
        return {"match_phrase": {"all": words}}
    if mode == "prefix":
        return {"prefix": {"all": {"value": words}}}
    if mode == "typo":
        return {"match": {"all": {"query": words, "fuzziness": 1}}}
    if mode == "term":
        return {"match": {"all": words}}
    return {"match": {"all": {"query": words, "operator": mode}}}


class Peer:
    def __init__(self, url):
        self.url = url.rstrip("/")
        self.port = str(urllib.parse.urlsplit(self.url).port)
        self.version = self.send_request("GET", "/")["version"]["number"]

    def send_request(self, method, path, body=None, kind="application/json"):
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        request = urllib.request.Request(self.url + path, data, {"Content-Type": kind}, method=method)
        until = time.monotonic() + TIMEOUT
        while True:
            try:
                with urllib.request.urlopen(request, timeout=600) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != TOO_BUSY or time.monotonic() > until:
                    raise
            time.sleep(1)

    def clear(self):
        try:
            self.send_request("DELETE", f"/{INDEX}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise

    def fill(self, items):
        """Indexes the items. Returns the number of documents."""
        self.clear()
        self.send_request("PUT", f"/{INDEX}", MAPPING)
        batch = bytearray()
        with gzip.open(items, "rt", encoding="utf-8") as lines:
            for line in lines:
                batch += self.document(json.loads(line))
                if len(batch) > BATCH_BYTES:
                    self.send(batch)
                    batch.clear()
        if batch:
            self.send(batch)
        self.send_request("POST", f"/{INDEX}/_forcemerge?max_num_segments=1")
        self.send_request("POST", f"/{INDEX}/_refresh")
        return self.send_request("GET", f"/{INDEX}/_count")["count"]

    @staticmethod
    def document(item):
        fields = {name: item[name] for name in ("title", "tags", "category", "content") if name in item}
        return (json.dumps({"index": {"_id": item["id"]}}) + "\n" + json.dumps(fields) + "\n").encode()

    def send(self, batch):
        if self.send_request("POST", f"/{INDEX}/_bulk", bytes(batch), "application/x-ndjson")["errors"]:
            raise OSError("OpenSearch rejected an item")

    def measure_resources(self):
        """Returns megabytes of its index, and of its process if that runs on this machine."""
        disk = self.send_request("GET", f"/{INDEX}/_stats/store")["_all"]["total"]["store"]["size_in_bytes"] / 1e6
        pid, resident = self.pid(), None
        if pid:
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                resident = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
        return disk, resident

    def pid(self):
        """Returns its process id; None if the process is not visible here, e.g. in a container with its own
        process ids."""
        node, = self.send_request("GET", "/_nodes/_local/process")["nodes"].values()
        pid = node["process"]["id"]
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
                return pid if name.read().strip() == "java" else None
        except OSError:
            return None

    def page_paths(self, mode, words):
        """Returns the requests for one page: all words, plus any word if fewer than ten items have all words."""
        paths = [self.path(mode, words)]
        if mode == "and" and self.send_request("GET", paths[0])["hits"]["total"]["value"] < FALLBACK_BELOW:
            paths.append(self.path("or", words))
        return paths

    @staticmethod
    def path(mode, words):
        body = {
            "query": query_of(mode, words),
            "size": 20,
            "track_total_hits": True,
            "_source": ["title", "category"],
            "highlight": {"require_field_match": False, "number_of_fragments": 1, "fragment_size": 240,
                          "no_match_size": 240, "fields": {"content": {}}},
        }
        source = urllib.parse.quote(json.dumps(body, separators=(",", ":"), ensure_ascii=False))
        return f"/{INDEX}/_search?source_content_type=application%2Fjson&source={source}"
