# SPDX-License-Identifier: Apache-2.0
"""What of the caller's environment reaches a session, and what of the host makes it mean the same inside."""
import pathlib
import shutil
import subprocess
import unittest

from machine import Machine

SECRET = "secret-of-the-caller"
# SEC-02: what a shell of a developer carries.
UNWANTED = {name: SECRET for name in (
    "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "DATABASE_PASSWORD",
    "PGPASSWORD", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DOCKER_HOST", "KUBECONFIG",
    "SUDO_ASKPASS", "SSH_ASKPASS", "GIT_ASKPASS", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "DISPLAY", "WAYLAND_DISPLAY", "NODE_OPTIONS",
    "BASH_ENV", "ENV", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_DIR",
    "EDITOR", "PAGER", "LESSOPEN", "HTTPS_PROXY", "NOTIFY_SOCKET", "TMUX", "JAVA_TOOL_OPTIONS", "BASH_FUNC_ls%%")}


def variables(machine, *options, **popen_options):
    done = machine.run("start", "-q", *options, "--", "env", "-0", **popen_options)
    pairs = [entry.partition("=") for entry in done.stdout.split("\0") if entry]
    return {name: value for name, _, value in pairs}, done.stderr


class Allowlist(unittest.TestCase):
    def test_sec_02_of_forty_variables_of_a_developer_none_arrives(self):
        with Machine() as machine:
            machine.environment.update(UNWANTED, TERM="xterm")
            found, _ = variables(machine)
            self.assertEqual(set(found) & set(UNWANTED), set())
            self.assertNotIn(SECRET, str(found))

    def test_sec_02_a_pattern_carries_no_secret_and_says_so(self):
        with Machine() as machine:
            machine.environment.update({"MYAPP_MODE": "fast", "MYAPP_API_TOKEN": SECRET, "MYAPP_secretary": SECRET})
            found, said = variables(machine, "--env", "MYAPP_*")
            self.assertEqual({name for name in found if name.startswith("MYAPP")}, {"MYAPP_MODE"})
            self.assertNotIn(SECRET, said)
            found, said = variables(machine, "--env", "MYAPP_*", "--env", "MYAPP_API_TOKEN", "--env", "MYAPP_secretary")
            self.assertEqual(found["MYAPP_API_TOKEN"], SECRET)
            self.assertEqual(said, "")

    def test_sec_02_a_withheld_variable_is_told_at_the_start(self):
        with Machine() as machine:
            machine.environment["MYAPP_API_TOKEN"] = SECRET
            done = machine.run("start", "--env", "MYAPP_*", "--", "true")
            self.assertIn("agentctl: warning: environment: 'MYAPP_API_TOKEN' is not passed by 'MYAPP_*': name it in full", done.stderr)

    def test_patterns_that_are_too_wide_are_refused(self):
        with Machine() as machine:
            for pattern in ("*", "GIT_*", "AWS_SECRET_*", "LD_*"):
                done = machine.run("start", "--env", pattern, "--", "touch", "ran")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertFalse((machine.project / "ran").exists())

    def test_values_of_many_lines_and_100_kb_arrive_when_they_are_named(self):
        with Machine() as machine:
            machine.environment.update({"LONG": "x" * 100_000 + "end", "LINES": "a=b\n\nc\n", "EMPTY": ""})
            found, _ = variables(machine, "--env", "LONG", "--env", "LINES", "--env", "EMPTY")
            self.assertEqual((found["LONG"], found["LINES"], found["EMPTY"]), ("x" * 100_000 + "end", "a=b\n\nc\n", ""))

    def test_tmpdir_is_a_directory_that_can_be_written_whatever_the_callers_is(self):
        with Machine() as machine:
            machine.environment["TMPDIR"] = "/nonexistent"
            done = machine.start('f=$(mktemp) && echo x > "$f" && echo "$f" && [ -d "$XDG_RUNTIME_DIR" ] && [ -w "$XDG_RUNTIME_DIR" ]', "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "^/tmp/")


class Places(unittest.TestCase):
    def test_tool_12_the_timezone_and_the_locale_are_those_outside(self):
        with Machine() as machine:
            for zone in ("Europe/Berlin", ":Asia/Tokyo", "UTC0"):
                machine.environment["TZ"] = zone
                outside = subprocess.run(["date", "+%Z %z"], env=machine.environment, capture_output=True, text=True, check=True).stdout
                self.assertEqual(machine.start("date '+%Z %z'", "-q").stdout, outside)
            machine.environment.update(LANG="C.UTF-8", LC_TIME="C.UTF-8", LC_ALL="C.UTF-8")
            outside = subprocess.run(["locale"], env=machine.environment, capture_output=True, text=True, check=True).stdout
            self.assertEqual(machine.start("locale", "-q").stdout, outside)

    def test_tool_12_a_terminal_that_only_the_home_knows_is_known_inside(self):
        with Machine() as machine:
            source = machine.root / "odd.ti"
            source.write_text("agentctl-odd|a terminal of this test,\n\tcols#80, bel=^G,\n")
            machine.environment["TERM"] = "agentctl-odd"
            subprocess.run(["tic", "-o", machine.home / ".terminfo", source], check=True, capture_output=True)
            done = machine.start("infocmp", "-q")
            self.assertIn("agentctl-odd|a terminal of this test", done.stdout, done.stderr)
            self.assertEqual(machine.start("echo x > ~/.terminfo/new", "-q").returncode, 2)

    def test_tool_12_a_terminfo_that_the_session_does_not_see_is_told_and_left_out(self):
        with Machine() as machine:
            (machine.home / "hidden").mkdir()
            machine.environment.update(TERMINFO=str(machine.home / "hidden"), TERMINFO_DIRS=f"{machine.home}/hidden:/usr/share/terminfo")
            found, _ = variables(machine)
            self.assertNotIn("TERMINFO", found)
            self.assertEqual(found["TERMINFO_DIRS"], "/usr/share/terminfo")

    def test_tool_13_a_companys_certificate_in_the_home_is_used_and_its_key_is_not_there(self):
        with Machine() as machine:
            corp = machine.home / "corp"
            corp.mkdir()
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost", "-days", "2", "-keyout", corp / "key.pem", "-out", corp / "ca.pem"],
                           check=True, capture_output=True)
            machine.environment.update(SSL_CERT_FILE=str(corp / "ca.pem"), REQUESTS_CA_BUNDLE=str(corp / "both.pem"))
            (corp / "both.pem").write_text((corp / "ca.pem").read_text() + (corp / "key.pem").read_text())
            script = "import ssl; c = ssl.create_default_context(); print(c.get_ca_certs()[0]['subject'])"
            done = machine.run("start", "-q", "--", "python3", "-c", script)
            self.assertIn("localhost", done.stdout, done.stderr)
            self.assertEqual(machine.start(f"ls {corp}", "-q").stdout, "ca.pem\n")
            found, _ = variables(machine)
            self.assertNotIn("REQUESTS_CA_BUNDLE", found)
            self.assertNotEqual(machine.start(f"echo >> {corp}/ca.pem", "-q").returncode, 0)


class Launcher(unittest.TestCase):
    """DESK-01: a menu entry or a service has a short PATH."""

    def install(self, machine, directory):
        directory.mkdir(parents=True)
        program = directory / "claude"
        program.write_text("#!/bin/sh\necho agent \"$0\"\ncommand -v claude\n")
        program.chmod(0o755)
        machine.environment = {name: machine.environment[name] for name in ("HOME", "XDG_RUNTIME_DIR")} | {"PATH": "/usr/bin:/bin"}
        return program

    def test_desk_01_the_agent_is_found_where_installers_put_it_and_that_is_told(self):
        for place in (".local/bin", ".npm-global/bin", ".nvm/versions/node/v20.11.1/bin"):
            with Machine() as machine:
                program = self.install(machine, machine.home / place)
                done = machine.run("start", "claude")
                self.assertEqual(done.stdout, f"agent {program}\n{program}\n", done.stderr)
                self.assertIn(f"command: 'claude' is not in PATH, but here: '{program}'", done.stderr)

    def test_desk_01_the_session_finds_the_same_program_from_a_shell(self):
        with Machine() as machine:
            program = self.install(machine, machine.home / ".local/bin")
            machine.environment["PATH"] = f"{program.parent}:/usr/bin:/bin"
            done = machine.run("start", "claude")
            self.assertEqual(done.stdout, f"agent {program}\n{program}\n", done.stderr)
            self.assertNotIn("not in PATH", done.stderr)

    def test_desk_01_a_profile_keeps_the_full_path_and_a_program_that_is_gone_is_told(self):
        with Machine() as machine:
            program = self.install(machine, machine.home / "tools/v1")
            machine.environment["PATH"] = f"{program.parent}:/usr/bin:/bin"
            done = machine.run("profile", "new", "claude")
            self.assertEqual(done.returncode, 0, done.stderr)
            profile = pathlib.Path(done.stdout.strip())
            self.assertEqual(profile, machine.home / ".config/agentctl/profiles/claude.toml")
            self.assertIn(f'command = ["{program}"]', profile.read_text())
            machine.environment["PATH"] = "/usr/bin:/bin"
            self.assertEqual(machine.run("start", "-q", "claude").stdout.splitlines()[:1], [f"agent {program}"])
            shutil.rmtree(program.parent)
            done = machine.run("start", "claude")
            self.assertEqual(done.returncode, 127)
            self.assertRegex(done.stderr, f"^agentctl: cannot run '{program}': .*not found\nhint: .*profile 'claude'")

    def test_sec_06_programs_of_the_project_are_never_run_for_the_sandbox(self):
        with Machine() as machine:
            planted = machine.project / "node_modules/.bin"
            planted.mkdir(parents=True)
            for name in ("bwrap", "git", "sh", "env", "agentctl-stage"):
                (planted / name).write_text(f"#!/bin/sh\ntouch {machine.home}/planted-ran\n")
                (planted / name).chmod(0o755)
            for path in (f"{planted}:{machine.environment['PATH']}", f"node_modules/.bin:.:{machine.environment['PATH']}"):
                machine.environment["PATH"] = path
                machine.run("start", "-q", "--", "sh", "-c", "true")
                machine.run("explain", "/etc")
                machine.run("profile", "list")
                self.assertFalse((machine.home / "planted-ran").exists())


class Profiles(unittest.TestCase):
    def test_list_tells_whose_each_profile_is_and_where_its_agent(self):
        with Machine() as machine:
            own = machine.home / ".config/agentctl/profiles/mine.toml"
            own.parent.mkdir(parents=True)
            own.write_text('[agent]\ncommand = ["sh"]\n')
            (own.parent / "broken.toml").write_text("[oops]\n")
            lines = [line.split(maxsplit=2) for line in machine.run("profile", "list").stdout.splitlines()]
            table = {line[0]: line[1:] for line in lines}
            self.assertEqual(table["mine"][0], str(own))
            self.assertRegex(table["mine"][1], "/sh$")
            self.assertEqual(table["claude"], ["built-in", "not found"])
            self.assertEqual(table["broken"][1], "cannot be read")

    def test_show_prints_what_could_be_written_to_a_file(self):
        with Machine() as machine:
            text = machine.run("profile", "show", "claude").stdout
            copy = machine.home / ".config/agentctl/profiles/copy.toml"
            copy.parent.mkdir(parents=True)
            copy.write_text(text)
            self.assertEqual(machine.run("profile", "show", "copy").stdout, text)
            self.assertEqual(machine.run("start", "-q", "--dry-run", "-p", "copy", "--", "true").returncode, 0)
            done = machine.run("profile", "show", "cluade")
            self.assertEqual(done.returncode, 2)
            self.assertIn("did you mean 'claude'?", done.stderr)

    def test_new_overwrites_nothing_and_takes_no_path_for_a_name(self):
        with Machine() as machine:
            self.assertEqual(machine.run("profile", "new", "--from", "shell", "mine").returncode, 0)
            path = machine.home / ".config/agentctl/profiles/mine.toml"
            path.write_text("# mine\n")
            done = machine.run("profile", "new", "--from", "shell", "mine")
            self.assertEqual(done.returncode, 2)
            self.assertIn("is there already", done.stderr)
            self.assertEqual(path.read_text(), "# mine\n")
            for name in ("../evil", "/tmp/evil", ".hidden", "a b"):
                self.assertEqual(machine.run("profile", "new", "--from", "shell", name).returncode, 2)
            done = machine.run("profile", "new", "no-such-agent")
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot find the agent 'no-such-agent'", done.stderr)

    def test_a_profile_of_the_users_named_default_counts_for_commands_without_one(self):
        with Machine() as machine:
            own = machine.home / ".config/agentctl/profiles/default.toml"
            own.parent.mkdir(parents=True)
            own.write_text("[limits]\ntasks-max = 77\n")
            self.assertIn("tasks-max 77,", machine.run("start", "--dry-run", "--", "true").stdout)
            self.assertNotIn("tasks-max 77,", machine.run("start", "--dry-run", "-p", "shell", "--", "true").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
