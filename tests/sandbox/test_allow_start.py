# SPDX-License-Identifier: Apache-2.0
"""--net allowlist at a start: what the policy makes of it, what programs inside find, and what is refused before anything runs."""
import json
import unittest

from machine import Machine

PROXY = "http://127.0.0.1:3128"
SECRET = "hunter2"


class StartCase(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.__exit__)

    def write(self, name, text):
        path = self.machine.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def own_policy(self, text):
        return self.write(".config/agentctl/policy.toml", text)

    def said(self, script, *options):
        done = self.machine.start(script, "-q", "--net", "allowlist", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def variables(self, *options):
        return dict(line.split("=", 1) for line in self.said("env", *options).splitlines() if "=" in line)

    def explain(self, *words):
        done = self.machine.run("explain", "--json", "--net", "allowlist", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Inside(StartCase):
    def test_programs_find_the_door_by_variables_and_by_the_resolver(self):
        found = self.variables("--allow", "a.example")
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            self.assertEqual((found[name], found[name.lower()]), (PROXY, PROXY))
        self.assertEqual((found["NO_PROXY"], found["no_proxy"]), ("localhost,127.0.0.1,::1",) * 2)
        self.assertEqual(found["NODE_USE_ENV_PROXY"], "1")
        self.assertIn("nameserver 127.0.0.1\n", self.said("cat /etc/resolv.conf", "--allow", "a.example"))

    def test_the_proxy_of_the_host_and_its_login_do_not_come_in(self):
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "npm_config_https_proxy", "RSYNC_PROXY"):
            self.machine.environment[name] = f"http://ada:{SECRET}@127.0.0.1:9"
        self.machine.environment["NO_PROXY"] = "10.0.0.0/8"
        passed = [word for name in ("HTTPS_PROXY", "https_proxy", "RSYNC_PROXY", "NO_PROXY") for word in ("--env", name)]
        said = self.said("env; cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/cmdline", "--allow", "a.example", *passed)
        self.assertNotIn(SECRET, said)
        self.assertNotIn("10.0.0.0", said)
        self.assertIn(f"HTTPS_PROXY={PROXY}\n", said)
        self.assertNotIn("RSYNC_PROXY", said)

    def test_what_the_user_sets_wins(self):
        found = self.variables("--allow", "a.example", "--env", "HTTPS_PROXY=http://127.0.0.1:8080", "--env", "NO_PROXY=")
        self.assertEqual((found["HTTPS_PROXY"], found["https_proxy"], found["NO_PROXY"]), ("http://127.0.0.1:8080", PROXY, ""))

    def test_git_goes_through_the_door_whatever_proxy_its_own_configuration_names(self):
        self.write(".gitconfig", f'[http]\n\tproxy = http://ada:{SECRET}@proxy.example:3128\n')
        self.assertEqual(self.said("git config http.proxy", "--allow", "a.example"), PROXY + "\n")

    def test_with_other_networks_nothing_of_this_is_there(self):
        for mode in ("none", "host"):
            with self.subTest(mode=mode):
                said = self.machine.start("env", "-q", "--net", mode).stdout
                self.assertNotIn("_PROXY", said.upper())

    def test_the_agent_is_told_what_it_reaches(self):
        self.assertIn("You reach the hosts that the user allows and no others", self.said("cat /run/agentctl/README", "--allow", "a.example"))

    def test_the_network_is_the_sessions_own_with_nothing_but_a_loopback(self):
        with self.machine.session("ls /sys/class/net > links 2>&1; cat /proc/net/dev > devices", "--net", "allowlist", "--allow", "a.example") as session:
            self.assertIn("net", session.status()["sandbox"]["namespaces"])
            devices = (self.machine.project / "devices").read_text().splitlines()[2:]
            self.assertEqual([line.split(":")[0].strip() for line in devices], ["lo"])


class Policy(StartCase):
    def test_profiles_bring_the_hosts_of_their_agent_and_a_policy_of_the_users_changes_them(self):
        self.own_policy('[network]\nallow = ["docs.example.com"]\ndeny = ["*.pypi.org"]\n[network.commands]\nallow = ["!github.com"]\n')
        all_rules = self.explain("-p", "claude")["rules"]
        rules = {(rule["key"], rule["value"]): rule["origin"] for rule in all_rules if rule["table"] == "network"}
        commands = [rule["value"] for rule in all_rules if rule["table"] == "network.commands"]
        self.assertEqual(rules["mode", "allowlist"], "--net")
        self.assertRegex(rules["allow", "api.anthropic.com"], "^built-in profile claude:")
        self.assertRegex(rules["allow", "docs.example.com"], r"policy\.toml:2:10$")
        self.assertRegex(rules["deny", "*.pypi.org"], r"policy\.toml:3:9$")
        self.assertNotIn("github.com", commands)
        self.assertIn("github.com:22", commands)

    def test_what_commands_reach_can_be_closed_and_leaves_the_model(self):
        for host, reachable in (("api.anthropic.com", True), ("pypi.org", True), ("github.com", True)):
            self.assertEqual(self.explain("-p", "claude", host)["reachable"], reachable, host)
        self.own_policy('[network.commands]\nallow = ["!*"]\n')
        for host, reachable in (("api.anthropic.com", True), ("pypi.org", False), ("github.com", False)):
            self.assertEqual(self.explain("-p", "claude", host)["reachable"], reachable, host)

    def test_a_set_of_hosts_stands_for_each_of_them(self):
        for host, reachable in (("pypi.org", True), ("registry.npmjs.org", True), ("github.com", False)):
            self.assertEqual(self.explain("--allow", "@packages", host)["reachable"], reachable, host)
        done = self.machine.start("touch ran", "--net", "allowlist", "--allow", "@packets")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'@packets' names no set of hosts; there are @git and @packages", done.stderr)
        self.assertFalse((self.machine.project / "ran").exists())

    def test_explain_names_the_rule_that_decides_for_a_host(self):
        policy = self.own_policy('[network]\nmode = "allowlist"\nallow = ["*.example.com"]\ndeny = ["x.example.com"]\n')
        for host, reachable, rule in (("a.example.com", True, f"'*.example.com' ({policy}:3:10)"), ("x.example.com", False, f"'x.example.com' ({policy}:4:9)"),
                                      ("a.example.com:22", False, f"'*.example.com' ({policy}:3:10)"), ("example.com", False, "--net"),
                                      ("10.0.0.1", False, "--net"), ("localhost", False, "--net")):
            answer = self.explain(host)
            self.assertEqual((answer["reachable"], answer["rule"]), (reachable, rule), host)

    def test_a_dry_run_shows_the_mode_the_rules_and_the_way(self):
        self.machine.environment["HTTPS_PROXY"] = f"http://ada:{SECRET}@proxy.example:3128"
        words = ("start", "--dry-run", "--net", "allowlist", "--allow", "a.example:22", "--deny", "b.example")
        done = self.machine.run(*words, "--", "true")
        self.assertIn("network      allowlist, through the proxy 'proxy.example:3128' (HTTPS_PROXY)\nallow        'a.example:22' (--allow)\n"
                      "deny         'b.example' (--deny)\n", done.stdout)
        network = json.loads(self.machine.run(*words, "--json", "--", "true").stdout)["network"]
        self.assertEqual(network, {"mode": "allowlist", "allow": ["a.example:22"], "deny": ["b.example"], "upstream": "proxy.example:3128"})
        self.assertNotIn(SECRET, done.stdout + done.stderr)

    def test_rules_that_open_more_than_one_host_are_told_and_an_allowlist_of_nothing_too(self):
        done = self.machine.start("true", "--net", "allowlist", "--allow", "*.github.io", "--allow", "a.example")
        self.assertIn("agentctl: warning: network: '*.github.io' (--allow) allows every host below 'github.io', where anybody can have one\n", done.stderr)
        self.assertNotIn("a.example", done.stderr)
        done = self.machine.start("true", "--net", "allowlist")
        self.assertIn("agentctl: warning: network: no host is allowed, so none is reached", done.stderr)

    def test_a_denial_that_the_mode_does_not_heed_is_told(self):
        self.own_policy('[network]\ndeny = ["a.example"]\n')
        for mode, is_told in (("host", True), ("none", False)):
            done = self.machine.start("true", "--net", mode)
            self.assertEqual(f"'a.example' ({self.machine.home}/.config/agentctl/policy.toml:2:9) in 'deny' has no effect" in done.stderr, is_told, done.stderr)

    def test_a_project_may_choose_an_allowlist_and_deny(self):
        self.own_policy('[network]\nallow = ["a.example", "b.example"]\n')
        self.write("project/.agentctl.toml", '[network]\nmode = "allowlist"\nallow = ["!b.example"]\ndeny = ["*.a.example"]\n')
        with self.machine.session(":", "--net", "host") as session:
            network = session.status()["network"]
            self.assertEqual((network["mode"], network["allow"], network["deny"]), ("allowlist", ["a.example"], ["*.a.example"]))


class Refused(StartCase):
    def refuse(self, status, message, *options):
        done = self.machine.start("touch ran", *options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertFalse((self.machine.project / "ran").exists())
        self.assertEqual(self.machine.sessions(), [])
        return done.stderr

    def test_a_host_for_a_network_that_does_not_ask_for_it(self):
        for mode in ("none", "host", "nat"):
            for option in ("--allow", "--deny"):
                self.refuse(2, f'^agentctl: {option}: error: needs --net allowlist: the network mode is "{mode}"', "--net", mode, option, "a.example")
        self.refuse(2, "the network mode is \"host\"", "--allow", "a.example")  # the default

    def test_what_is_no_host_all_at_once(self):
        said = self.refuse(2, "--allow: error: 'https://a.example' must be a host without scheme", "--net", "allowlist", "--allow", "https://a.example",
                           "--allow", "localhost", "--deny", "*")
        self.assertIn("--allow: error: 'localhost' must not be the loopback", said)
        self.assertIn("--deny: error: '*' must not be every host", said)

    def test_mistakes_of_a_policy_with_their_places(self):
        policy = self.own_policy('[network]\nmode = "allow"\nallow = ["*.com", "a.example/x"]\ndeny = "b.example"\n')
        said = self.refuse(3, f"{policy}:2:8: error: 'mode' must be ")
        self.assertIn(f"{policy}:3:10: error: '*.com' in 'allow' must not allow every host below a top-level domain", said)
        self.assertIn(f"{policy}:3:19: error: 'a.example/x' in 'allow' must not hold a path", said)
        self.assertIn(f"{policy}:4:8: error: 'deny' must be a list", said)

    def test_a_project_that_would_open_something(self):
        self.own_policy('[network]\nallow = ["a.example"]\ndeny = ["b.example"]\n')
        project = self.machine.project / ".agentctl.toml"
        for text, place, what in (('allow = ["c.example"]', "2:10", "allow the host 'c.example'"),
                                  ('deny = ["!b.example"]', "2:9", "no longer deny the host 'b.example'"),
                                  ('mode = "host"', "2:8", 'open the network, which is "allowlist"')):
            project.write_text(f"[network]\n{text}\n")
            self.refuse(3, f"{project}:{place}: error: a project's file must not widen the sandbox: this would {what}", "--net", "allowlist")

    def test_a_proxy_of_the_host_that_cannot_be_used_and_its_login_is_not_shown(self):
        for url in (f"socks5://ada:{SECRET}@proxy.example:1080", f"https://ada:{SECRET}@proxy.example", f"http://ada:{SECRET}@proxy.example:0"):
            self.machine.environment["HTTPS_PROXY"] = url
            said = self.refuse(125, "^agentctl: cannot use the proxy that the variable HTTPS_PROXY names: .*\nhint: .*env -u HTTPS_PROXY",
                               "--net", "allowlist", "--allow", "a.example")
            self.assertNotIn(SECRET, said)
            self.assertNotIn("ada", said)

    def test_a_removal_of_what_is_not_there(self):
        self.refuse(2, "'!a.example' takes nothing out of 'allow'", "-p", "claude", "--net", "allowlist", "--allow", "!a.example")

    def test_a_start_that_is_refused_leaves_no_log(self):
        self.machine.environment["HTTPS_PROXY"] = "socks5://proxy.example"
        self.refuse(125, "cannot use the proxy", "--net", "allowlist", "--allow", "a.example")
        ports = [word for port in range(1000, 1060) for word in ("--allow", f"a.example:{port}")]
        del self.machine.environment["HTTPS_PROXY"]
        self.refuse(3, "names more than 48 ports", "--net", "allowlist", *ports)
        self.assertEqual(list((self.machine.home / ".local/state/agentctl/logs").glob("*")), [])


if __name__ == "__main__":
    unittest.main()
