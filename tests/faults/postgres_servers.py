# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL for fault tests: a primary, and streaming replicas that can be promoted."""
import glob
import os
import shutil
import signal
import subprocess
import sys

from processes import free_port, wait_for


def programs_folder():
    """Returns the folder of the newest version that Debian installed; None if PostgreSQL is missing."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return folders[-1] if folders else None


def has_postgres():
    return programs_folder() is not None and shutil.which("psql") is not None


def children_of(parent):
    children = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        if int(fields[1]) == parent:
            children.append(int(stat.split("/")[2]))
    return children


def command_line_of(pid):
    """Returns an empty text if the process has ended: the children of a server come and go with its connections."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class Postgres:
    """Server on a free port: a primary with an empty database, or a replica of `primary`."""

    def __init__(self, workspace, primary=None):
        self.workspace = workspace
        self.port = free_port()
        self.folder = workspace.path(f"postgres-{self.port}")
        self.process = None
        os.mkdir(self.folder, 0o700)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(self.folder, "postgres", "postgres")
            os.chmod(workspace.work, 0o711)
        if primary is None:
            self.run("initdb", "-D", self.folder, "-U", "kbase", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
            self.start()
            self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kbase", "kbase")
        else:
            self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "kbase", "-D", self.folder,
                     "-R", "-c", "fast")
            self.start()
            wait_for("the replica", lambda: primary.query("SELECT count(*) FROM pg_stat_replication"
                                                        " WHERE state = 'streaming'") == "1")

    @staticmethod
    def prefix():
        if os.geteuid() != 0:
            return ["setpriv", "--pdeathsig=QUIT", "--"]
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=QUIT", "--"]

    def run(self, program, *arguments):
        result = subprocess.run([*self.prefix(), os.path.join(programs_folder(), program), *arguments], capture_output=True,
                              text=True, check=False, cwd="/")
        if result.returncode != 0:
            sys.exit(f"{program} failed: {result.stderr}")

    def start(self):
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "logging_collector": "off",
                    "max_connections": "200", "track_commit_timestamp": "on"}
        arguments = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
        self.process = self.workspace.start(
            [os.path.join(programs_folder(), "postgres"), "-D", self.folder, "-p", str(self.port), *arguments],
            stop_signal=signal.SIGQUIT, prefix=self.prefix(), stdout=subprocess.DEVNULL, cwd="/")
        wait_for("PostgreSQL", self.is_ready)

    def is_ready(self):
        return subprocess.run([os.path.join(programs_folder(), "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port),
                               "-U", "kbase", "-d", "postgres"], check=False).returncode == 0

    def query(self, statement):
        """Returns the result as psql prints it: one line per row, columns separated by "|"."""
        result = subprocess.run(["psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kbase", "-d", "kbase", "-AtqX",
                               "-v", "ON_ERROR_STOP=1", "-c", statement], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"psql failed: {result.stderr}")
        return result.stdout.strip()

    def wait_for_replicas(self):
        """Enables synchronous replication: commits return when a replica has them."""
        self.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.query("SELECT pg_reload_conf()")
        wait_for("synchronous replication", lambda: self.query("SELECT count(*) FROM pg_stat_replication"
                                                             " WHERE sync_state = 'sync'") == "1")

    def freeze_replication(self):
        """Stops replication, as a slow network would."""
        for pid in children_of(self.process.pid):
            if "walsender" in command_line_of(pid):
                os.kill(pid, signal.SIGSTOP)

    def signal_all(self, signal_number):
        """Sends a signal to all of its processes at once."""
        for pid in [self.process.pid, *children_of(self.process.pid)]:
            try:
                os.kill(pid, signal_number)
            except ProcessLookupError:  # it has ended already
                pass

    def kill(self):
        """Kills all processes, as a crash of the machine would."""
        self.signal_all(signal.SIGKILL)
        self.process.wait()

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.folder)

    def promotion_command(self):
        """Returns the shell command for a promotion."""
        return " ".join([*(["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []),
                         os.path.join(programs_folder(), "pg_ctl"), "promote", "-D", self.folder])
