# SPDX-License-Identifier: Apache-2.0
"""A kbase for one test, in a folder that goes with it."""
import pathlib
import subprocess
import tempfile

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs"

# For tests that are not about quotas: a plan `wide` for keys, and as much for callers without one.
NO_LIMITS = ("plans.public.per_minute=1000000", "plans.public.per_day=10000000", "plans.wide.per_minute=1000000",
             "plans.wide.per_day=10000000", "plans.wide.llm_tokens_per_day=0")


class ServedKbase:
    """Serves from `serve` on until it is left, at `url`; before that it can be filled and given keys."""

    def __init__(self, program, *settings):
        self._program = program
        self._folder = tempfile.TemporaryDirectory(prefix="kbase-served-")
        every = (f"data_dir={self._folder.name}/data", "server.port=0", "logging.level=error",
                 "server.max_queue_time=10s",  # a busy machine is no overload
                 *settings)
        self._options = [word for setting in every for word in ("--set", setting)]
        self._server = None
        self.url = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._server is not None:
            self._server.terminate()
            self._server.communicate(timeout=30)
        self._folder.cleanup()

    def run(self, *words):
        """What a command of the program prints."""
        done = subprocess.run([self._program, *words, *self._options], check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def key(self, name, plan, *more):
        printed = self.run("keys", "create", "--name", name, "--plan", plan, *more)
        return next(word for word in printed.split() if word.startswith("kb_"))

    def serve(self):
        # Ends with this process, also where this one is killed.
        command = ["setpriv", "--pdeathsig=KILL", "--", self._program, "serve", *self._options]
        self._server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self._server.stdout.readline().strip().removeprefix("listening on ")
        if not self.url:
            raise RuntimeError("kbase does not serve")
