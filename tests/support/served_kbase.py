# SPDX-License-Identifier: Apache-2.0
"""kbase for one test, in a temporary folder."""
import pathlib
import subprocess
import tempfile

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs"

# For tests that do not concern rate limits: a plan `wide` for keys, and equal limits for requests without a key.
NO_LIMITS = ("plans.public.per_minute=1000000", "plans.public.per_day=10000000", "plans.wide.per_minute=1000000",
             "plans.wide.per_day=10000000", "plans.wide.llm_tokens_per_day=0")


class ServedKbase:
    """Serves at `url` from `serve` until the end of the `with` block. Before that, a test can import and create
    keys."""

    def __init__(self, program, *settings):
        self._program = program
        self._folder = tempfile.TemporaryDirectory(prefix="kbase-served-")
        every = (f"data_dir={self._folder.name}/data", "server.port=0", "logging.level=error",
                 "server.max_queue_time=10s",  # a busy machine must not count as overload
                 *settings)
        self._options = [word for setting in every for word in ("--set", setting)]
        self._server = None
        self.url = ""

    @property
    def outbox(self):
        """Folder of the mails, if the plugin is `outbox`."""
        return f"{self._folder.name}/data/outbox"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._server is not None:
            self._server.terminate()
            self._server.communicate(timeout=30)
        self._folder.cleanup()

    def run(self, *words):
        """Returns the output of a subcommand."""
        done = subprocess.run([self._program, *words, *self._options], check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def key(self, name, plan, *more):
        printed = self.run("keys", "create", "--name", name, "--plan", plan, *more)
        return next(word for word in printed.split() if word.startswith("kb_"))

    def serve(self):
        # The server is killed when this process ends, even if this process is killed.
        command = ["setpriv", "--pdeathsig=KILL", "--", self._program, "serve", *self._options]
        self._server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self._server.stdout.readline().strip().removeprefix("listening on ")
        if not self.url:
            raise RuntimeError("kbase does not serve")
