# SPDX-License-Identifier: Apache-2.0
"""Roots as other distributions have them: resolv.conf and certificates behind links, programs in a store, no merged /usr."""
import os
import shutil
import unittest

import remote_mounts
from machine import Machine
from scratch_root import ScratchRoot

NAMES = "nameserver 192.0.2.1\n"
SECRET = "private-key-of-the-machine"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\n"
# What /etc/resolv.conf is, and where the file itself lies.
RESOLVERS = {
    "a plain file": (None, "etc/resolv.conf"),
    "systemd-resolved": ("../run/systemd/resolve/stub-resolv.conf", "run/systemd/resolve/stub-resolv.conf"),
    "NetworkManager": ("/run/NetworkManager/resolv.conf", "run/NetworkManager/resolv.conf"),
    "resolvconf": ("../run/resolvconf/resolv.conf", "run/resolvconf/resolv.conf"),
    "WSL": ("/mnt/wsl/resolv.conf", "mnt/wsl/resolv.conf"),
    "two steps": ("/etc/static/resolv.conf", "run/systemd/resolve/resolv.conf"),
}


def setUpModule():
    remote_mounts.own_mounts()


class Resolver(unittest.TestCase):
    def test_net_03_resolv_conf_of_every_form_reads_the_same_inside_by_the_same_link(self):
        for form, (target, place) in RESOLVERS.items():
            with self.subTest(form), Machine() as machine, ScratchRoot(machine) as root:
                root.write(place, NAMES)
                root.write(os.path.join(os.path.dirname(place), "agentctl-other"), SECRET)
                if target:
                    root.link("etc/resolv.conf", target)
                if form == "two steps":
                    root.link("etc/static/resolv.conf", f"/{place}")
                done = root.start("cat /etc/resolv.conf; readlink /etc/resolv.conf; ls /$(dirname %s)" % place, "--net", "host")
                shown = done.stdout.splitlines()
                self.assertEqual(shown[:1], [NAMES.strip()], done.stderr)
                self.assertEqual(shown[1:2] if target else [], [target] if target else [])
                self.assertNotIn("agentctl-other", shown)
                self.assertNotIn("names may not be found", done.stderr)

    def test_net_03_a_resolv_conf_that_leads_nowhere_starts_and_is_told(self):
        for target in ("../run/systemd/resolve/stub-resolv.conf", "/run/NetworkManager/resolv.conf", "resolv.conf"):
            with self.subTest(target), Machine() as machine, ScratchRoot(machine) as root:
                root.link("etc/resolv.conf", target)
                done = root.start("echo started", "--net", "host")
                self.assertEqual(done.stdout, "started\n", done.stderr)
                self.assertIn(f"warning: network: '/etc/resolv.conf' leads to '{target}', which is no file", done.stderr)

    def test_net_03_a_resolv_conf_that_is_absent_or_a_directory_starts(self):
        for make in (lambda root: None, lambda root: (root / "etc/resolv.conf").mkdir()):
            with Machine() as machine, ScratchRoot(machine) as root:
                make(root)
                done = root.start("cat /etc/resolv.conf; echo started", "--net", "host")
                self.assertEqual(done.stdout, "started\n", done.stderr)

    def test_net_03_without_a_network_no_resolver_is_shown(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            root.write("etc/resolv.conf", NAMES)
            self.assertEqual(root.start("ls /etc/resolv.conf", "-q", "--net", "none").stdout, "")


class Certificates(unittest.TestCase):
    def check(self, root, shown, hidden):
        script = "".join(f"cat /{path}; " for path in shown) + "".join(f"cat /{path}; " for path in hidden) + f"grep -rl {SECRET} /etc"
        done = root.start(script, "-q")
        self.assertEqual(done.stdout, CERTIFICATE * len(shown), done.stderr)

    def clear(self, root):
        for name in ("etc/ssl", "etc/pki", "etc/ca-certificates"):
            shutil.rmtree(root / name, ignore_errors=True)

    def test_tool_13_debian_shows_its_bundle_and_not_the_private_keys(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            self.clear(root)
            root.write("etc/ssl/certs/ca-certificates.crt", CERTIFICATE)
            root.write("etc/ssl/private/server.key", SECRET, 0o600)
            self.check(root, ["etc/ssl/certs/ca-certificates.crt"], ["etc/ssl/private/server.key"])

    def test_tool_13_fedora_shows_its_linked_bundle_and_not_the_private_keys(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            self.clear(root)
            root.write("etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", CERTIFICATE)
            root.link("etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            root.link("etc/pki/tls/cert.pem", "certs/ca-bundle.crt")
            root.link("etc/ssl/certs", "../pki/tls/certs")
            root.write("etc/pki/tls/private/localhost.key", SECRET, 0o600)
            self.check(root, ["etc/pki/tls/certs/ca-bundle.crt", "etc/pki/tls/cert.pem", "etc/ssl/certs/ca-bundle.crt"],
                       ["etc/pki/tls/private/localhost.key"])

    def test_tool_13_arch_shows_its_bundle_behind_a_link_to_another_directory(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            self.clear(root)
            root.write("etc/ca-certificates/extracted/tls-ca-bundle.pem", CERTIFICATE)
            root.link("etc/ssl/certs/ca-certificates.crt", "../../ca-certificates/extracted/tls-ca-bundle.pem")
            root.link("etc/ssl/cert.pem", "../ca-certificates/extracted/tls-ca-bundle.pem")
            root.write("etc/ssl/private/a.key", SECRET, 0o600)
            self.check(root, ["etc/ssl/certs/ca-certificates.crt", "etc/ssl/cert.pem"], ["etc/ssl/private/a.key"])


class Places(unittest.TestCase):
    def test_tool_12_localtime_of_every_form_means_the_same_inside_and_its_absence_is_fine(self):
        zone = "/usr/share/zoneinfo/Europe/Berlin"
        forms = {"absolute link": zone, "relative link": f"..{zone}", "file": None, "absent": ""}
        for form, target in forms.items():
            with self.subTest(form), Machine() as machine, ScratchRoot(machine) as root:
                if target:
                    root.link("etc/localtime", target)
                elif form == "file":
                    shutil.copyfile(zone, root / "etc/localtime")
                done = root.start("date +%Z; readlink /etc/localtime", "-q")
                name, _, link = done.stdout.partition("\n")
                self.assertIn(name, ("UTC",) if form == "absent" else ("CET", "CEST"), done.stderr)
                self.assertEqual(link.strip(), target or "")

    def test_tool_12_nsswitch_of_every_form_lets_users_and_hosts_be_found(self):
        for text in ("passwd: files systemd\nhosts: mymachines resolve [!UNAVAIL=return] files myhostname dns\n",
                     "passwd: files sss\nhosts: files mdns4_minimal [NOTFOUND=return] dns\n", None):
            with self.subTest(text), Machine() as machine, ScratchRoot(machine) as root:
                if text is None:
                    (root / "etc/nsswitch.conf").unlink(missing_ok=True)
                else:
                    root.write("etc/nsswitch.conf", text)
                done = root.start("id -un; getent hosts localhost | grep -c localhost", "-q")
                self.assertEqual(done.stdout.split(), ["root", "1"], done.stderr)

    def test_tool_04_a_terminal_of_a_flatpak_is_told_to_start_it_on_the_host(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            root.write(".flatpak-info", "[Application]\n")
            done = root.start("touch ran")
            self.assertEqual(done.returncode, 125)
            self.assertIn("cannot make a sandbox from within a Flatpak", done.stderr)
            self.assertIn("hint: run it on the host: flatpak-spawn --host agentctl", done.stderr)
            self.assertFalse((machine.project / "ran").exists())


class Roots(unittest.TestCase):
    def test_fs_04_a_root_without_merged_usr_has_its_own_bin_and_lib(self):
        with Machine() as machine, ScratchRoot(machine, without=("bin", "sbin", "lib", "lib64")) as root:
            for name in ("bin", "sbin", "lib", "lib64"):
                root.show(name, f"/usr/{name}" if name != "lib64" else os.path.realpath("/lib64"))
            done = root.start("for d in /bin /sbin /lib; do [ -d $d ] && [ ! -L $d ] && echo $d; done; /bin/ls / >/dev/null", "-q")
            self.assertEqual((done.returncode, done.stdout.split()), (0, ["/bin", "/sbin", "/lib"]), done.stderr)

    def test_fs_05_on_nixos_an_agent_of_the_system_profile_starts_by_its_bare_name(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            root.write("nix/store/xyz-agent/bin/agent", "#!/bin/sh\necho agent; cat /etc/gitconfig; command -v tool; tool\n", 0o755)
            root.write("nix/store/tool/bin/tool", "#!/nix/store/shell/bin/sh\necho tool\n", 0o755)
            root.link("nix/store/shell/bin/sh", "/bin/sh")
            root.link("nix/store/abc-system/sw/bin/agent", "/nix/store/xyz-agent/bin/agent")
            root.link("nix/store/abc-system/sw/bin/tool", "/nix/store/tool/bin/tool")
            for name in ("cat", "sh"):
                root.link(f"nix/store/abc-system/sw/bin/{name}", f"/usr/bin/{name}")
            root.link("run/current-system", "/nix/store/abc-system")
            root.write("nix/store/etc/etc/gitconfig", "# from the store\n")
            root.link("etc/static", "/nix/store/etc/etc")
            root.link("etc/gitconfig", "/etc/static/gitconfig")
            machine.environment["PATH"] = "/run/wrappers/bin:/run/current-system/sw/bin"
            (root / "run/wrappers/bin").mkdir(parents=True)
            done = root.run("start", "-q", "--", "agent")
            self.assertEqual(done.stdout, "agent\n# from the store\n/run/current-system/sw/bin/tool\ntool\n", done.stderr)
            done = root.start("for d in /nix/store /run/current-system /run/wrappers/bin; do (echo > $d/x); done", "-q")
            self.assertEqual(done.stderr.count("Read-only file system"), 3, done.stderr)

    def test_fs_05_on_guix_an_agent_of_the_system_profile_starts_by_its_bare_name(self):
        with Machine() as machine, ScratchRoot(machine) as root:
            root.write("gnu/store/xyz-agent/bin/agent", "#!/bin/sh\necho agent \"$0\"\n", 0o755)
            root.link("gnu/store/profile/bin/agent", "/gnu/store/xyz-agent/bin/agent")
            root.link("gnu/store/system/profile", "/gnu/store/profile")
            root.link("run/current-system", "/gnu/store/system")
            machine.environment["PATH"] = "/run/current-system/profile/bin"
            done = root.run("start", "-q", "--", "agent")
            self.assertEqual(done.stdout, "agent /run/current-system/profile/bin/agent\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
