# SPDX-License-Identifier: Apache-2.0
"""The home inside in each of its modes, on a home as people have it."""
import os
import pathlib
import subprocess
import unittest

import home_zoo
from home_zoo import CANARY
from machine import Machine

STATE = ".local/state/agentctl"
# Everything that can be read inside but what the kernel makes up; `exit 1` of grep is "none found".
SEARCH = f"grep -rIl --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr {CANARY} / 2>/dev/null; :"


class Zoo(Machine):
    """A Machine with that home."""

    def __init__(self):
        super().__init__()
        home_zoo.build_dotfiles(self.home)
        home_zoo.build_secrets(self.home)
        directories = home_zoo.build_tools(self.home)
        self.environment["PATH"] = ":".join(directories) + ":" + self.environment["PATH"]

    def set_home(self, mode):
        self.policy = home_zoo.write(self.home / ".config/agentctl/policy.toml", f'[files]\nhome = "{mode}"\n')

    def changes(self, before):
        after = home_zoo.listing(self.home)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        above = str((self.home / STATE).parent)  # changes when ours is made in it
        return sorted(path for path in changed if not path.startswith(str(self.home / STATE)) and path != above)


class PrivateHome(unittest.TestCase):
    def test_sec_05_no_canary_is_readable_in_any_profile(self):
        with Zoo() as machine:
            for profile in ("default", "shell"):
                done = machine.start(SEARCH, "--profile", profile)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_an_agent_reads_its_own_login_and_no_others(self):
        with Zoo() as machine:
            own = {"claude": {".claude/.credentials.json"}, "codex": {".codex/auth.json"}, "pi": {".pi/agent/auth.json"},
                   "gemini": {".gemini/oauth_creds.json"}, "cursor-agent": {".cursor/mcp.json"}, "aider": {".aider.conf.yml"},
                   "opencode": {".config/opencode/opencode.json", ".local/share/opencode/auth.json"}, "goose": set()}
            for profile, names in own.items():
                done = machine.start(SEARCH, "--profile", profile)
                found = {os.path.relpath(path, machine.home) for path in done.stdout.splitlines()}
                self.assertEqual(found, names, f"{profile}: {done.stderr}")

    def test_fs_02_dotfiles_behind_links_of_every_form_work(self):
        with Zoo() as machine:
            done = machine.start(". ~/.bashrc; . ~/.profile; echo $FROM_BASHRC $FROM_PROFILE; cat ~/.gitconfig; cat ~/.config/git/config;"
                                 " readlink ~/.bashrc; test -e ~/.inputrc || echo dangling", "--profile", "shell")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("yes yes\n", done.stdout)
            self.assertEqual(done.stdout.count("name = Ada"), 2)
            self.assertIn("\ndotfiles/bash/.bashrc\n", done.stdout)
            self.assertIn("dangling", done.stdout)

    def test_it_is_as_the_line_of_bwrap_that_people_type_has_it(self):
        with Zoo() as machine:
            home_zoo.write(machine.home / ".local/share/app/data", "data\n")
            before = home_zoo.listing(machine.home)
            done = machine.start("cat ~/.local/share/app/data; claude; for f in ~/.local/x ~/.local/bin/x ~/.bashrc ~/.profile ~/.gitconfig"
                                 " ~/.local/share/app/data; do (echo x >> $f) 2>/dev/null && echo wrote $f; done;"
                                 " mkdir -p ~/.cache/x ~/.local/state/x && echo x > ~/.cache/x/y && echo cached; ls ~/.cache")
            self.assertEqual(done.stdout.splitlines(), ["data", "claude-2", "cached", "x"], done.stderr)
            self.assertEqual(machine.changes(before), [])

    def test_state_02_locks_and_temporary_files_beside_a_dotfile_can_be_made_and_do_not_arrive(self):
        with Zoo() as machine:
            before = home_zoo.listing(machine.home)
            done = machine.start("mkdir ~/.claude.json.lock && rmdir ~/.claude.json.lock && mkdir -p ~/.local/state/x"
                                 " && echo x > ~/.claude.json.tmp.1 && echo made")
            self.assertEqual(done.stdout, "made\n", done.stderr)
            self.assertEqual(machine.changes(before), [])

    def test_what_is_left_in_it_is_counted_and_named_at_the_end(self):
        with Machine() as machine:
            (machine.home / ".npmrc").write_text("x")
            (machine.home / ".local/share").mkdir(parents=True)
            (machine.home / ".local/share/of_the_host").write_text("shown inside, and no part of the private home")
            script = ("echo x > ~/notes; mkdir -p ~/fix/deep ~/empty; echo x > ~/fix/a; echo x > ~/fix/deep/b; "
                      "ln -s a ~/fix/l; echo x > ~/.cache/kept; echo x > kept; echo x >> ~/.npmrc; echo x > /tmp/other; "
                      "echo x > ~/gone; rm ~/gone")
            done = machine.start(script, "--copy", "~/.npmrc")
            self.assertIn("; 4 files in the private home dropped: ~/notes, ~/fix/", done.stderr)
            receipt, = machine.receipts()
            self.assertEqual((receipt["dropped_count"], receipt["dropped"]), (4, ["~/notes", "~/fix/"]))
            text = machine.run("receipt", receipt["name"]).stdout
            self.assertIn("dropped with the private home: 4 files\n  ~/notes\n  ~/fix/\n", text)

    def test_nothing_is_told_where_nothing_is_left_and_of_homes_that_stay(self):
        with Machine() as machine:
            self.assertNotIn("dropped", machine.start("echo x > ~/.cache/kept; mkdir ~/empty").stderr)
            self.assertNotIn("dropped", machine.start("echo x > ~/kept", "--home", "persistent").stderr)
            self.assertNotIn("dropped", machine.start(":", "--home", "read-only").stderr)
            self.assertEqual([receipt["dropped_count"] for receipt in machine.receipts()], [0, 0, 0])

    def test_a_home_with_more_than_can_be_counted_is_told_as_at_least(self):
        with Machine() as machine:
            done = machine.start("mkdir ~/many; cd ~/many; seq 30000 | xargs touch")
            self.assertRegex(done.stderr, r"; at least \d+ files in the private home dropped: ~/many/")

    def test_a_private_place_that_the_host_lacks_can_be_written_in_a_read_only_tree(self):
        with Machine() as machine:
            home_zoo.write(machine.home / ".local/share/app/data", "data\n")
            (machine.home / ".local/share/link").symlink_to("app/data")
            machine.environment["XDG_STATE_HOME"] = str(machine.home / "state")
            before = home_zoo.listing(machine.home / ".local")
            done = machine.start("mkdir -p ~/.local/state/x ~/.local/share/opencode/x && cat ~/.local/share/link;"
                                 " (echo x > ~/.local/share/app/data) 2>/dev/null || echo refused", "--profile", "opencode")
            self.assertEqual(done.stdout, "data\nrefused\n", done.stderr)
            self.assertEqual(home_zoo.listing(machine.home / ".local"), before)
            self.assertIn("~/.local/share/opencode is missing", done.stderr)


class PersistentHome(unittest.TestCase):
    def test_what_is_written_there_is_kept_for_the_project_and_never_on_the_host(self):
        with Zoo() as machine:
            machine.set_home("persistent")
            home_zoo.write(machine.home / ".claude.json", "from the host\n")
            before = home_zoo.listing(machine.home)
            start = ("--profile", "claude")
            done = machine.start(f"echo kept > ~/file; mkdir -p ~/.config/x; echo inside > ~/.claude.json; {SEARCH}", *start)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.split(), [f"{machine.home}/.claude/.credentials.json"], done.stderr)
            place = machine.home / STATE / "homes" / str(machine.project)[1:].replace("/", "!") / "home"
            self.assertIn(f"home: kept from session to session in '{place}'", done.stderr)
            self.assertEqual((place / "file").read_text(), "kept\n")
            self.assertEqual(place.stat().st_mode & 0o777, 0o700)
            done = machine.start("cat ~/file ~/.claude.json; . ~/.bashrc; echo $FROM_BASHRC; echo x > ~/.local/bin/x", *start)
            self.assertEqual(done.stdout, "kept\ninside\nyes\n", done.stderr)
            other = machine.home / "other-project"
            done = machine.run("start", "--", "cat", str(machine.home / "file"), cwd=other)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(machine.changes(before), [])

    def test_a_link_that_a_session_left_at_a_mount_point_leads_nowhere(self):
        with Zoo() as machine:
            machine.set_home("persistent")
            (machine.home / "victim").mkdir()
            before = home_zoo.listing(machine.home)
            for target in (machine.home / "victim", f"/oldroot{machine.home}/victim", "../victim"):
                machine.start(f"ln -sfn {target} ~/.claude")
                done = machine.start("echo x > ~/.claude/x; :", "--profile", "claude")
                self.assertEqual(done.returncode, 125, done.stderr)
                self.assertIn("something else is in the way at '.claude'", done.stderr)
            self.assertEqual(machine.changes(before), [])
            self.assertEqual(machine.records(), [])

    def test_one_session_at_a_time_has_it(self):
        with Machine() as machine:
            home_zoo.write(machine.home / ".config/agentctl/policy.toml", '[files]\nhome = "persistent"\n')
            with machine.session(":"):
                done = machine.start("echo ran")
                self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
                self.assertIn("another session has it", done.stderr)
            self.assertEqual(machine.start("echo ran").stdout, "ran\n")


class ReadOnlyHome(unittest.TestCase):
    def test_the_home_is_there_and_nothing_in_it_can_be_written(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            home_zoo.write(machine.home / "notes/plain", "plain\n")
            before = home_zoo.listing(machine.home)
            done = machine.start("cat ~/notes/plain; . ~/.bashrc; echo $FROM_BASHRC; claude;"
                                 " for f in ~/x ~/notes/x ~/.bashrc ~/.config/x ~/.local/bin/x; do (echo x >> $f) 2>/dev/null && echo wrote $f; done;"
                                 " mkdir -p ~/.cache/x ~/.local/state/x && echo private; ls ~/.cache; echo in > ./made")
            self.assertEqual(done.stdout.splitlines(), ["plain", "yes", "claude-2", "private", "x"], done.stderr)
            (machine.project / "made").unlink()
            changed = [path for path in machine.changes(before) if path != str(machine.project)]
            self.assertEqual(changed, [])

    def test_sec_05_no_secret_of_a_known_place_or_name_can_be_read_in_it(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            done = machine.start(SEARCH)
            found = {os.path.relpath(path, machine.home) for path in done.stdout.splitlines()}
            # Nothing tells these from other files: who has such a home wants a private one.
            self.assertEqual(found, {"other-project/.env", "mail/inbox"}, done.stderr)
            done = machine.start("cat ~/.fake-creds ~/.ssh/config; ls -A ~/.ssh; echo x > ~/outside")
            self.assertEqual(done.stdout, "", done.stderr)
            self.assertFalse((machine.home / "outside").exists())

    def test_files_with_the_name_of_a_secret_in_the_directories_of_programs_are_hidden_and_no_others(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            hidden = (".minikube/ca.key", ".ivy2/.credentials", ".config/tool/token", ".linked/api_key")
            shown = (".minikube/config", ".config/tool/settings", ".minikube/deep/er/ca.key", ".granted/token", "plain/token")
            for name in hidden + shown:
                home_zoo.write(machine.home / name, "canary\n")
            (machine.home / ".linked").rename(machine.home / "dots")
            (machine.home / ".linked").symlink_to("dots")
            names = " ".join(f"~/{name}" for name in hidden + shown)
            done = machine.start(f"for f in {names}; do grep -q canary $f && echo $f; done; true", "--ro", "~/.granted")
            self.assertEqual(done.stdout.split(), [str(machine.home / name) for name in shown], done.stderr)

    def test_an_agent_finds_its_own_state_in_it_and_no_others(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            home_zoo.write(machine.home / ".claude.json", "{}\n")
            done = machine.start("cat ~/.claude/.credentials.json ~/.codex/auth.json; echo x > ~/.claude/new; cat ~/.claude.json;"
                                 " echo inside > ~/.claude.json", "--profile", "claude")
            self.assertEqual(done.stdout, f"{CANARY} .claude/.credentials.json\n{{}}\n", done.stderr)
            self.assertEqual((machine.home / ".claude/new").read_text(), "x\n")
            done = machine.start("cat ~/.pi/agent/auth.json; cat ~/.claude/.credentials.json", "--profile", "pi")
            self.assertEqual(done.stdout, f"{CANARY} .pi/agent/auth.json\n", done.stderr)
            self.assertEqual((machine.home / ".claude.json").read_text(), "{}\n")

    def test_a_project_with_the_name_of_a_secret_is_not_hidden(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            project = machine.home / ".tokens-app"
            home_zoo.write(project / "file", "there\n")
            done = machine.run("start", "--", "cat", "file", cwd=project)
            self.assertEqual(done.stdout, "there\n", done.stderr)

    def test_our_own_files_are_not_readable_in_it(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            machine.start(":")
            done = machine.start("ls -A ~/.config/agentctl ~/.local/state; cat ~/.config/agentctl/policy.toml")
            self.assertNotIn("policy.toml", done.stdout)
            self.assertNotIn("read-only", done.stdout)
            self.assertNotIn("agentctl\n", done.stdout.replace(".config/agentctl", ""))

    def test_a_launch_from_the_home_is_refused(self):
        with Zoo() as machine:
            machine.set_home("read-only")
            done = machine.run("start", "--", "true", cwd=machine.home)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("it is the home directory", done.stderr)


class Caches(unittest.TestCase):
    def test_tool_06_a_cache_is_warm_for_the_next_session_of_the_project_and_shared_with_nobody(self):
        with Zoo() as machine:
            before = home_zoo.listing(machine.home)
            done = machine.start("ls -A ~/.cache; for d in $npm_config_cache $PIP_CACHE_DIR $UV_CACHE_DIR $CARGO_HOME $GOCACHE $GOMODCACHE;"
                                 " do mkdir -p $d && echo warm > $d/x; done")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            with machine.session(":"):  # two at once
                done = machine.start("cat $npm_config_cache/x $CARGO_HOME/x $GOMODCACHE/x; echo $UV_LINK_MODE", "--name", "second")
                self.assertEqual(done.stdout.split(), ["warm", "warm", "warm", "copy"], done.stderr)
            done = machine.run("start", "--", "ls", "-A", str(machine.home / ".cache"), cwd=machine.home / "other-project")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertEqual([path for path in machine.changes(before) if path != str(machine.project)], [])


class Tools(unittest.TestCase):
    def test_tool_01_tool_02_tools_of_version_managers_run_and_cannot_be_changed(self):
        with Zoo() as machine:
            before = home_zoo.listing(machine.home)
            for tool, answer in home_zoo.TOOLS.items():
                done = machine.run("start", "--", tool)
                self.assertEqual((done.returncode, done.stdout), (0, answer + "\n"), f"{tool}: {done.stderr}")
            script = "".join(f"{tool}; (echo x >> $(command -v {tool})) 2>/dev/null && echo CHANGED\n" for tool in home_zoo.TOOLS)
            done = machine.start(script + "for d in $(echo $PATH | tr : ' '); do touch $d/x 2>/dev/null && echo WROTE $d; done; :")
            self.assertEqual(done.stdout.split(), list(home_zoo.TOOLS.values()), done.stderr)
            self.assertEqual(machine.changes(before), [])

    def test_the_path_inside_holds_the_same_directories_without_those_that_are_not_there(self):
        with Zoo() as machine:
            done = machine.start("echo $PATH")
            wanted = [name for name in machine.environment["PATH"].split(":") if os.path.isdir(name)]
            self.assertEqual(done.stdout.strip().split(":"), wanted)
            self.assertNotIn(str(machine.home / "gone/bin"), wanted)

    def test_what_is_hidden_stays_hidden_though_it_is_in_path(self):
        with Zoo() as machine:
            done = machine.start("go-tool", "--hide", "~/go")
            self.assertEqual(done.returncode, 127, done.stdout + done.stderr)

    def test_a_directory_of_path_never_brings_in_the_home(self):
        with Machine() as machine:
            home_zoo.write(machine.home / "plain", CANARY)
            machine.environment["PATH"] = f"{machine.home}:{machine.environment['PATH']}"
            done = machine.start("ls ~; cat ~/plain")
            self.assertEqual(done.stdout.split(), ["project"], done.stderr)

    def test_tool_03_a_program_of_snap_is_refused_before_the_start(self):
        with Machine() as machine:
            (machine.root / "bin").mkdir()
            (machine.root / "bin/gh").symlink_to("/usr/bin/snap")
            machine.environment["PATH"] += f":{machine.root}/bin"
            done = machine.run("start", "--", "gh")
            self.assertEqual(done.returncode, 126, done.stderr)
            self.assertIn("gh': it is a snap", done.stderr)
            self.assertIn("hint: install it another way", done.stderr)


class ProjectTools(unittest.TestCase):
    def test_sec_06_an_environment_of_the_project_in_path_is_used_inside_and_never_by_us(self):
        with Machine() as machine:
            directory = machine.project / ".venv/bin"
            home_zoo.write(machine.project / ".venv/pyvenv.cfg", "home = /usr/bin\n")
            for name in ("venv-tool", "bwrap", "sh", "git"):
                home_zoo.write(directory / name, f"#!/bin/sh\necho {name} >> {machine.root}/executed; echo {name}\n", 0o755)
            machine.environment["PATH"] = f"{directory}:{machine.environment['PATH']}"
            done = machine.run("start", "--", "/bin/sh", "-c", "venv-tool")
            self.assertEqual((done.returncode, done.stdout), (0, "venv-tool\n"), done.stderr)
            self.assertIn(f"'{directory}' is in your PATH and in the project", done.stderr)
            self.assertFalse((machine.root / "executed").exists())
            done = machine.run("start", "--", "venv-tool")
            self.assertEqual(done.returncode, 127)
            self.assertIn("outside of the project", done.stderr)

    def test_e18_a_project_that_the_users_own_programs_lie_in_is_refused(self):
        with Machine() as machine:
            dotfiles = machine.home / "dotfiles"
            home_zoo.program(dotfiles / "bin/tool", "x")
            home_zoo.write(dotfiles / "pyvenv.cfg", "")
            (machine.home / "bin").symlink_to("dotfiles/bin")
            machine.environment["PATH"] = f"{machine.home}/bin:{machine.environment['PATH']}"
            for project in (dotfiles, machine.home / "bin"):
                done = machine.run("start", "--", "true", cwd=project)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("which is in PATH", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
