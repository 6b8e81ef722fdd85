# SPDX-License-Identifier: Apache-2.0
"""What of the host answers to a session that was given nothing: no socket in any known place, no bus, and on loopback what
its network mode says."""
import contextlib
import os
import pathlib
import select
import socket
import unittest

import landlock
from machine import Machine

# Relative: in the home. $R is the runtime directory.
KNOWN_PLACES = ["/run/docker.sock", "/run/containerd/containerd.sock", "/run/libvirt/libvirt-sock", "/run/dbus/system_bus_socket",
                "/run/snapd.socket", "$R/bus", "$R/systemd/private-copy", "$R/docker.sock",
                "$R/podman/podman.sock", "$R/pulse/native", "$R/pipewire-0", "$R/wayland-0", "$R/keyring/ssh", "$R/at-spi/bus",
                "$R/gnupg-copy/S.gpg-agent", "/tmp/agentctl-test-ssh/agent.1", "/tmp/agentctl-test-tmux/default",
                ".docker/run/docker.sock", ".gnupg/S.gpg-agent", ".ssh/ctl-host", ".ssh/agent/s"]
CONNECT = """
import os, socket, sys
for path in sys.argv[1:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(path)
            print("reached", path)
        except OSError:
            pass
for root, _, names in os.walk("/"):
    if root.startswith(("/proc", "/sys")):
        continue
    for name in names:
        path = os.path.join(root, name)
        if os.path.exists(path) and (os.stat(path).st_mode & 0o170000) == 0o140000:
            print("seen", path)
print("tried", len(sys.argv) - 1)
"""
LOOPBACK = "import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('connected')"


@contextlib.contextmanager
def listener(path):
    """A listening socket; what was made for it is gone afterwards."""
    path = pathlib.Path(path)
    missing = [parent for parent in path.parents if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    place = socket.socket(socket.AF_UNIX)
    place.bind(str(path))
    place.listen()
    place.setblocking(False)
    try:
        yield place
    finally:
        place.close()
        path.unlink()
        for parent in missing:
            parent.rmdir()


class Sockets(unittest.TestCase):
    def test_state_07_tool_09_no_socket_of_the_host_is_seen_or_reached(self):
        with Machine() as machine, contextlib.ExitStack() as stack:
            paths = [str(machine.home / place.replace("$R", str(machine.runtime))) for place in KNOWN_PLACES]
            places = [path for path in paths if not os.path.exists(path)]
            listeners = [stack.enter_context(listener(path)) for path in places]
            self.assertGreater(len(listeners), 15)
            self.assertTrue(os.path.exists(machine.runtime / "systemd/private"), "there is no real manager to reach")
            (machine.project / "connect.py").write_text(CONNECT)
            tried = [*paths, str(machine.runtime / "systemd/private")]
            done = machine.start(f"python3 connect.py {' '.join(tried)}")
            self.assertEqual(done.stdout, f"tried {len(tried)}\n", done.stderr)
            for place in listeners:
                with self.assertRaises(BlockingIOError):
                    place.accept()

    def test_state_07_no_bus_answers_whatever_the_variables_say(self):
        with Machine() as machine:
            machine.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={machine.runtime}/bus"
            commands = ["systemctl --user list-units", "systemd-run --user touch escaped", "busctl --user list", "busctl --system list"]
            script = "; ".join(f"{command} >/dev/null 2>&1; echo $?" for command in commands)
            done = machine.start(f"echo ${{DBUS_SESSION_BUS_ADDRESS-none}}; {script}; ps -e -o comm= | grep -c dbus")
            self.assertEqual(done.stdout.split(), ["none", *["1"] * len(commands), "0"], done.stderr)
            done = machine.start(script, "--env", "DBUS_SESSION_BUS_ADDRESS", "--env", f"XDG_RUNTIME_DIR={machine.runtime}")
            self.assertEqual(done.stdout.split(), ["1"] * len(commands), done.stderr)
            self.assertFalse((machine.project / "escaped").exists())


class Loopback(unittest.TestCase):
    def test_tool_15_an_editors_lock_file_and_port_are_there_in_mode_host_and_the_port_is_not_in_mode_none(self):
        with Machine() as machine, socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            lock = machine.home / f".claude/ide/{port}.lock"
            lock.parent.mkdir(parents=True)
            lock.write_text("{}")
            script = f'ls ~/.claude/ide; python3 -c "{LOOPBACK.format(port=port)}"'
            done = machine.start(script, "-p", "claude", "--net", "host")
            self.assertEqual(done.stdout.split(), [lock.name, "connected"], done.stderr)
            server.settimeout(10)
            server.accept()[0].close()
            done = machine.start(script, "-p", "claude", "--net", "none")
            self.assertEqual(done.stdout.split(), [lock.name], done.stderr)
            self.assertIn("ConnectionRefusedError", done.stderr)


# How the network of the host closes them.
SHARED = "PermissionError" if landlock.has_scopes() else "reached"
# By the name in the first argument, of each type; then to one of its own.
ABSTRACT = """
import socket, sys
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    for name in (sys.argv[1], 'own'):
        name = f'\\0{name}-{kind}'
        with socket.socket(socket.AF_UNIX, kind) as ours, socket.socket(socket.AF_UNIX, kind) as to:
            if name.startswith('\\0own'):
                ours.bind(name)
                if kind != socket.SOCK_DGRAM: ours.listen()
            try:
                to.connect(name)
                to.send(b'x')
                print('reached', name[1:4])
            except OSError as error:
                print(type(error).__name__, name[1:4])
"""


class Abstract(unittest.TestCase):
    def listen(self, name):
        servers = []
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            servers.append(socket.socket(socket.AF_UNIX, kind))
            servers[-1].bind(f"\0{name}-{kind}")
            if kind != socket.SOCK_DGRAM:
                servers[-1].listen()
            self.addCleanup(servers[-1].close)
        return servers

    def test_sockets_by_an_abstract_name_are_closed_and_the_session_s_own_are_not(self):
        name = f"out-{os.getpid()}"
        servers = self.listen(name)
        with Machine() as machine:
            (machine.project / "call.py").write_text(ABSTRACT)
            for mode, kept_out in (("host", SHARED), ("none", "ConnectionRefusedError")):
                done = machine.start(f"python3 call.py {name}", "--net", mode)
                self.assertEqual("abstract name included" in done.stderr, kept_out == "reached", done.stderr)
                self.assertEqual(done.stdout.splitlines(), [f"{kept_out} out", "reached own"] * 3, (mode, done.stderr))
        readable = select.select(servers, [], [], 0)[0]
        self.assertEqual(len(readable), 3 if SHARED == "reached" else 0)

    def test_tool_16_an_x_server_is_out_of_reach(self):
        call = "import socket; socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X97'); print('reached')"
        with Machine() as machine, socket.socket(socket.AF_UNIX) as server:
            server.bind("\0/tmp/.X11-unix/X97")
            server.listen()
            (machine.project / "call.py").write_text(call)
            machine.environment["DISPLAY"] = ":97.1"
            for mode, kept_out in (("host", SHARED), ("none", "ConnectionRefusedError")):
                done = machine.start("echo ${DISPLAY-none}; python3 call.py", "--net", mode)
                self.assertEqual(done.stdout, "none\n" + ("reached\n" if kept_out == "reached" else ""))
                self.assertIn(kept_out, done.stdout + done.stderr)
                told = "warning: network: the session reaches the X server at '@/tmp/.X11-unix/X97'" in done.stderr
                self.assertEqual(told, kept_out == "reached")


if __name__ == "__main__":
    unittest.main(verbosity=2)
