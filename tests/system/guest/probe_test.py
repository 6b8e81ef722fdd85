# SPDX-License-Identifier: Apache-2.0
"""probe as an ordinary user, in scopes of a real user manager: every wall of every default profile stands."""
import itertools
import json

import machine
from session import AGENTCTL, SessionCase

# A fork costs tens of milliseconds here: limits that are reached soon.
LIMITS = ("--tasks-max=120", "--memory-max=96M")
PROBE_SECONDS = 140
MODES = ("host", "none", "nat", "allowlist")


def modes():
    """The network modes that there are and that this guest, which has no pasta, can have."""
    return [mode for mode in MODES
            if machine.run(AGENTCTL, "start", "-q", "--net", mode, "--", "true", cwd=machine.HOME / "project",
                           **machine.as_dev()).returncode == 0]


def profiles():
    listed = machine.must(AGENTCTL, "profile", "list", **machine.as_dev()).splitlines()[1:]
    return [line.split()[0] for line in listed if line.strip()]


class Probe(SessionCase):
    def probe(self, *options):
        done = machine.run(AGENTCTL, "probe", "--json", *options, seconds=PROBE_SECONDS, cwd="/", **machine.as_dev())
        self.assertTrue(done.stdout, done.stderr)
        result = json.loads(done.stdout)
        verdicts = {}
        for item in result["items"]:
            verdicts.setdefault(item["verdict"], {})[item["id"]] = item["detail"]
        return done.returncode, verdicts

    def check(self, *options):
        status, verdicts = self.probe(*LIMITS, *options)
        self.assertEqual({}, {name: verdicts[name] for name in ("FAIL", "VOID") if name in verdicts}, options)
        self.assertEqual(0, status)
        self.assertGreater(len(verdicts["PASS"]), 60)
        self.assertLessEqual({"tasks", "zombies", "memory-limit", "home-secret", "tiocsti-high-bits", "signal"},
                             verdicts["PASS"].keys() | verdicts.get("SKIP", {}).keys())
        self.assertLessEqual({"tasks", "memory-limit", "home-secret"}, verdicts["PASS"].keys())
        return verdicts

    def test_self_test(self):
        """without a sandbox whatever can be tried fails, and nothing is void"""
        status, verdicts = self.probe("--self-test")
        self.assertEqual((1, set()), (status, verdicts.keys() - {"FAIL", "SKIP"}), verdicts.get("VOID"))
        self.assertGreater(len(verdicts["FAIL"]), 60)


def add_tests():
    """Each profile once and each mode at least once; a test each, for the time that one may take."""
    known = modes()
    names = profiles()
    for at, (profile, mode) in enumerate(itertools.islice(zip(itertools.cycle(names), itertools.cycle(known)),
                                                          max(len(names), len(known)))):
        def test(self, profile=profile, mode=mode):
            self.check("-p", profile, "--net", mode)
        test.__doc__ = f"every wall of profile {profile} with --net {mode} stands"
        setattr(Probe, f"test_{at:02}_{profile}", test)


machine.must("install", "-d", "-o", "dev", "-g", "dev", machine.HOME / "project")
add_tests()
