# SPDX-License-Identifier: Apache-2.0
"""[allow] sockets: real agents of the host sign and log in for a session that was given them, and for no other."""
import os
import shutil
import subprocess
import unittest

from key_agents import GpgAgent, SshAgent, SshServer
from machine import Machine

NAMES = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]


def allow(machine, text):
    directory = machine.home / ".config/agentctl"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "policy.toml").write_text(f"[allow]\n{text}\n")


def git(machine, *arguments):
    done = subprocess.run(["git", "-C", str(machine.project), *NAMES, *arguments], env=machine.environment, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def make_repository(machine):
    git(machine, "init", "-q", "-b", "main")
    (machine.project / "file").write_text("one\n")
    git(machine, "add", "file")


def inside(words):
    return " ".join(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words])


def names_below(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


class Ssh(unittest.TestCase):
    def push(self, machine, server):
        bare = machine.root / "bare.git"
        subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
        make_repository(machine)
        git(machine, "commit", "-q", "-m", "one")
        server.write_client_files(machine.home)
        command = f"GIT_SSH_COMMAND='ssh -F {machine.home}/.ssh/config -o BatchMode=yes' git push forge:{bare} main"
        done = machine.start(f"{command}; echo pushed $?; echo sock ${{SSH_AUTH_SOCK-none}}; ls ~/.ssh")
        pushed = subprocess.run(["git", "--git-dir", str(bare), "rev-parse", "main"], check=False, capture_output=True, text=True)
        return done, pushed.stdout.strip(), git(machine, "rev-parse", "HEAD")[1]

    def test_git_06_git_push_over_ssh_arrives_with_the_agents_key_and_is_told_in_status(self):
        with Machine() as machine, SshAgent(machine.root / "agent/socket") as agent, \
                SshServer(machine.root / "sshd", agent.public_key) as server:
            machine.environment["SSH_AUTH_SOCK"] = str(agent.path)
            allow(machine, 'sockets = ["ssh-agent"]')
            done, pushed, commit = self.push(machine, server)
            self.assertEqual(pushed, commit, done.stdout + done.stderr)
            self.assertIn("warning: ssh-agent is let in", done.stderr)
            self.assertEqual(done.stdout.split()[-2:], ["config", "known_hosts"])
            told = [text for receipt in machine.receipts() for text in receipt["warnings"] if "log in and sign" in text]
            self.assertEqual(len(told), 1, machine.receipts())
            with machine.session("ls -A $XDG_RUNTIME_DIR > seen") as session:
                self.assertEqual((machine.project / "seen").read_text().split(), ["ssh-agent.sock"])
                self.assertTrue(any("log in and sign as you" in text for text in session.known["warnings"]), session.known)

    def test_git_06_without_the_opt_in_no_socket_is_seen_and_nothing_arrives(self):
        with Machine() as machine, SshAgent(machine.root / "agent/socket") as agent, \
                SshServer(machine.root / "sshd", agent.public_key) as server:
            machine.environment["SSH_AUTH_SOCK"] = str(agent.path)
            done, pushed, commit = self.push(machine, server)
            self.assertIn("pushed 128", done.stdout, done.stderr)
            self.assertIn("sock none", done.stdout)
            self.assertNotEqual(pushed, commit)
            named = machine.start(f"ssh-add -l; echo $?; ls {agent.path}", "--env", "SSH_AUTH_SOCK")
            self.assertEqual(named.stdout.split()[-1], "2", "ssh-add reached the agent")

    def test_git_06_an_ssh_signed_commit_is_good_outside_and_is_not_made_without_the_agent(self):
        with Machine() as machine, SshAgent(machine.root / "agent/socket") as agent:
            machine.environment["SSH_AUTH_SOCK"] = str(agent.path)
            make_repository(machine)
            commit = inside(["-c", "gpg.format=ssh", "-c", f"'user.signingkey=key::{agent.public_key}'", "commit", "-q", "-S", "-m", "x"])
            refused = machine.start(commit)
            self.assertNotEqual(refused.returncode, 0)
            allow(machine, 'sockets = ["ssh-agent"]')
            done = machine.start(commit)
            self.assertEqual(done.returncode, 0, done.stderr)
            signers = machine.root / "signers"
            signers.write_text(f"ada@example.org {agent.public_key}\n")
            status, said = git(machine, "-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={signers}", "verify-commit", "HEAD")
            self.assertEqual(status, 0, said)
            self.assertIn("Good \"git\" signature for ada@example.org", said)

    def test_git_06_the_socket_may_lie_anywhere_outside_and_nothing_of_it_can_be_changed(self):
        with Machine() as machine:
            allow(machine, 'sockets = ["ssh-agent"]')
            for place in (machine.root / "ssh-x/agent.7", machine.runtime / "agentctl-test/ssh", machine.home / ".ssh/agent/s.1"):
                with self.subTest(place=place), SshAgent(place) as agent:
                    machine.environment["SSH_AUTH_SOCK"] = str(agent.path)
                    before = os.stat(place)
                    done = machine.start("ssh-add -L; chmod 777 $SSH_AUTH_SOCK; rm $SSH_AUTH_SOCK; mv $SSH_AUTH_SOCK x; echo end")
                    self.assertEqual(done.stdout.strip(), f"{agent.public_key}\nend", done.stderr)
                    self.assertEqual(os.stat(place).st_mode, before.st_mode)
                shutil.rmtree(place.parent)

    def test_git_07_a_stale_socket_is_a_warning_and_the_start_goes_on(self):
        with Machine() as machine:
            allow(machine, 'sockets = ["ssh-agent"]')
            for named, why in (("/tmp/gone/agent.1", "which does not exist"), ("/etc/passwd", "which is no socket"), ("", "is not set")):
                machine.environment["SSH_AUTH_SOCK"] = named
                done = machine.start("echo ${SSH_AUTH_SOCK-none}")
                self.assertEqual((done.returncode, done.stdout), (0, "none\n"), done.stderr)
                self.assertIn("ssh-agent is allowed, but the session has none", done.stderr)
                self.assertIn(why, done.stderr)

    def test_a_socket_in_the_project_is_refused(self):
        with Machine() as machine, SshAgent(machine.project / "agent/socket") as agent:
            machine.environment["SSH_AUTH_SOCK"] = str(agent.path)
            allow(machine, 'sockets = ["ssh-agent"]')
            done = machine.start("touch ran")
            self.assertEqual(done.returncode, 3)
            self.assertIn("lies in the project", done.stderr)
            self.assertFalse((machine.project / "ran").exists())

    def test_a_project_file_opens_nothing_and_the_start_is_refused(self):
        with Machine() as machine:
            for text in ('sockets = ["ssh-agent"]', 'devices = ["gpu"]', "nested = true"):
                (machine.project / ".agentctl.toml").write_text(f"[allow]\n{text}\n")
                done = machine.start("touch ran")
                self.assertEqual(done.returncode, 3)
                self.assertIn(".agentctl.toml:2:", done.stderr)
                self.assertIn("must not widen the sandbox", done.stderr)
                self.assertFalse((machine.project / "ran").exists())


class Homes(unittest.TestCase):
    def test_git_06_both_agents_work_in_each_kind_of_home_and_no_private_key_of_gnupg_is_there(self):
        for home in ("private", "persistent", "read-only"):
            with self.subTest(home=home), Machine() as machine, SshAgent(machine.root / "agent/socket") as ssh, \
                    GpgAgent(machine.home / ".gnupg", machine.environment) as gpg:
                machine.environment["SSH_AUTH_SOCK"] = str(ssh.path)
                (machine.home / ".ssh").mkdir(mode=0o700)
                (machine.home / ".ssh/known_hosts").write_text("forge ssh-ed25519 AAAA\n")
                allow(machine, f'sockets = ["ssh-agent", "gpg-agent"]\n[files]\nhome = "{home}"')
                make_repository(machine)
                names = names_below(gpg.home)
                done = machine.start(f"ssh-add -L; {inside(['commit', '-q', f'-S{gpg.fingerprint}', '-m', 'x'])}; cat ~/.ssh/known_hosts;"
                                     " find ~/.gnupg -name '*.key'; touch ~/.gnupg/pubring.kbx.new")
                self.assertEqual(done.stdout, f"{ssh.public_key}\nforge ssh-ed25519 AAAA\n", done.stderr)
                self.assertEqual(git(machine, "verify-commit", "HEAD")[0], 0)
                self.assertEqual(names_below(gpg.home), names)


class Gpg(unittest.TestCase):
    def check_signature(self, machine, agent):
        make_repository(machine)
        commit = inside(["commit", "-q", f"-S{agent.fingerprint}", "-m", "signed"])
        keys = (agent.home / "pubring.kbx").read_bytes()
        names = names_below(agent.home)
        refused = machine.start(f"{commit}; echo made $?")
        self.assertIn("made 128", refused.stdout, refused.stderr)
        allow(machine, 'sockets = ["gpg-agent"]')
        done = machine.start(f"{commit}; echo made $?; find ${{GNUPGHOME:-$HOME/.gnupg}} -name '*.key';"
                             " gpg --batch --pinentry-mode loopback --passphrase '' --export-secret-keys | wc -c")
        self.assertEqual(done.stdout.split(), ["made", "0", "0"], done.stderr)
        self.assertIn("warning: gpg-agent is let in", done.stderr)
        status, said = git(machine, "verify-commit", "HEAD")
        self.assertEqual(status, 0, said)
        self.assertIn("Good signature from \"Ada <ada@example.org>\"", said)
        self.assertEqual((agent.home / "pubring.kbx").read_bytes(), keys)
        self.assertEqual(names_below(agent.home), names)

    def test_git_06_a_gpg_signed_commit_is_good_outside_and_no_private_key_comes_in(self):
        with Machine() as machine, GpgAgent(machine.home / ".gnupg", machine.environment) as agent:
            self.check_signature(machine, agent)

    def test_git_06_a_gpg_home_elsewhere_works_under_its_own_name(self):
        with Machine() as machine:
            machine.environment["GNUPGHOME"] = str(machine.root / "keys")
            with GpgAgent(machine.root / "keys", machine.environment) as agent:
                self.check_signature(machine, agent)

    def test_an_agent_that_does_not_run_is_a_warning(self):
        with Machine() as machine:
            allow(machine, 'sockets = ["gpg-agent"]')
            machine.environment["GNUPGHOME"] = str(machine.root / "keys")
            (machine.root / "keys").mkdir(mode=0o700)
            done = machine.start("ls -A $XDG_RUNTIME_DIR")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertIn("gpg-agent is allowed, but the session has none", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
