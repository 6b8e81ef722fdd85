# SPDX-License-Identifier: Apache-2.0
"""What the built-in default hides in a project."""
import unittest

from listing import listing
from machine import Machine
from test_tracked_files import Repository

SECRET = "s3cret-canary\n"
SECRETS = (".env", ".env.local", ".env.production", ".env~", ".env.swp", ".envrc", "prod.env", "server.pem", "server.key",
           "AuthKey.p8", "cert.p12", "cert.pfx", "a.ppk", "a.jks", "a.keystore", "a.kdbx", "id_rsa", "id_ed25519", "id_ecdsa",
           ".netrc", ".pgpass", ".pypirc", ".vault-token", ".git-credentials", "kubeconfig", "credentials.json",
           "client_secret_1.json", "service-account.json", "serviceAccountKey.json", "x-firebase-adminsdk-1.json",
           "secrets.json", "secrets.toml", "secrets.yml", "secrets.yaml", "terraform.tfstate", "terraform.tfstate.backup",
           "prod.tfvars", "prod.tfvars.json", ".terraformrc", ".dev.vars", ".dev.vars.production", "_netrc", ".my.cnf", ".dockercfg",
           ".s3cfg", ".boto", "prod.kubeconfig", "office.ovpn",
           ".ENV", ".Env.Local", "SERVER.PEM", "ID_RSA", "Credentials.json", "SERVICEACCOUNT.JSON")
SHOWN = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env-example", "example.env", "id_rsa.pub", "secrets.py",
         "environment", "keys.md", "a.key.ts", ".npmrc", ".yarnrc.yml", "monkey", ".ENV.EXAMPLE", "example.tfvars", "KEYS.MD")


def write(machine, *names):
    for name in names:
        path = machine.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)


def policy(machine, text):
    config = machine.home / ".config/agentctl/policy.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("[files]\n" + text)


def seen(machine, names, *options):
    script = "for f in " + " ".join(names) + "; do grep -q s3cret $f && echo $f; done; true"
    done = machine.start(script, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.split()


class ProjectSecrets(unittest.TestCase):
    def test_e1_known_names_of_secrets_are_hidden_and_what_looks_like_them_is_not(self):
        with Machine() as machine:
            names = [place + name for place in ("", "a/b/") for name in SECRETS + SHOWN]
            write(machine, *names)
            before = listing(machine.home, leave_out=".local")
            self.assertEqual(seen(machine, names), [place + name for place in ("", "a/b/") for name in SHOWN])
            self.assertEqual(listing(machine.home, leave_out=".local"), before)

    def test_the_default_looks_three_directories_down_and_not_where_tools_work(self):
        with Machine() as machine:
            deep = ("a/b/c/.env", "a/b/c/d/.env", "node_modules/x/.env", ".venv/cacert.pem", "target/.env", ".env.d/pyvenv.cfg")
            write(machine, *deep)
            self.assertEqual(seen(machine, deep), list(deep[1:]))
            policy(machine, 'hide = ["**/.env"]\n')
            self.assertEqual(seen(machine, deep), [".venv/cacert.pem", ".env.d/pyvenv.cfg"])

    def test_a_file_of_certificates_alone_is_shown_and_one_with_a_key_is_not(self):
        with Machine() as machine:
            certificate = "-----BEGIN CERTIFICATE-----\ns3cret\n-----END CERTIFICATE-----\n"
            key = "-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----\n"
            for name, text in (("ca.pem", certificate), ("a/both.pem", certificate + key), ("key.pem", key)):
                write(machine, name)
                (machine.project / name).write_text(text)
            names = ("ca.pem", "a/both.pem", "key.pem")
            self.assertEqual(seen(machine, names), ["ca.pem"])
            policy(machine, 'hide = ["./**/*.pem"]\n')
            self.assertEqual(seen(machine, names), [])

    def test_the_settings_of_a_package_manager_are_hidden_where_a_login_is_written_in_them(self):
        with Machine() as machine:
            texts = {".npmrc": "//r/:_authToken=s3cret\n", "a/.npmrc": "registry=https://r/s3cret\n//r/:_authToken=${TOKEN}\n",
                     "b/.yarnrc.yml": "npmAuthToken: s3cret\n", "c/.NPMRC": "_password=s3cret\n", "d/.yarnrc.yml": "a: s3cret\n"}
            write(machine, *texts)
            for name, text in texts.items():
                (machine.project / name).write_text(text)
            self.assertEqual(seen(machine, texts), ["a/.npmrc", "d/.yarnrc.yml"])
            policy(machine, 'hide = ["./**/.npmrc"]\n')
            self.assertEqual(seen(machine, texts), ["d/.yarnrc.yml"])

    def test_an_entry_is_taken_out_on_the_command_line_by_its_text(self):
        with Machine() as machine:
            write(machine, ".env", "a/.env", "b.pem")
            names = (".env", "a/.env", "b.pem")
            self.assertEqual(seen(machine, names, "--hide", "!./**/.env"), [".env", "a/.env"])
            done = machine.start("true", "--hide", "!./**/.nothing")
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_link_that_leads_out_of_the_project_or_into_its_repository_takes_nothing_away(self):
        with Machine() as machine:
            Repository(machine)
            write(machine, "real")
            for name, target in (("ca.pem", "/etc/passwd"), ("x.key", "/usr/bin/env"), ("y.key", ".git/HEAD"), ("z.key", "real")):
                (machine.project / name).symlink_to(target)
            done = machine.start("wc -c < ca.pem; env true && cat y.key; wc -c < z.key; wc -c < real")
            lines = done.stdout.splitlines()
            self.assertGreater(int(lines[0]), 0, done.stderr)
            self.assertEqual((lines[1][:4], lines[2:]), ("ref:", ["0", "0"]), done.stderr)

    def test_mask_12_the_users_own_policy_lets_an_entry_or_a_file_through_and_a_projects_does_not(self):
        with Machine() as machine:
            write(machine, ".env", "a/.env", "a/key.pem")
            names = (".env", "a/.env", "a/key.pem")
            policy(machine, 'hide = ["!./**/.env"]\n')
            self.assertEqual(seen(machine, names), [".env", "a/.env"])
            policy(machine, 'read-write = ["./.env"]\n')
            self.assertEqual(seen(machine, names), [".env"])
            self.assertEqual(seen(machine, names, "--ro", "a/.env"), [".env", "a/.env"])
            policy(machine, 'hide = ["!./.env"]\n')
            self.assertIn("'./**/.env' matches it", machine.run("start", "--", "true").stderr)
            policy(machine, "")
            (machine.project / ".agentctl.toml").write_text('[files]\nhide = ["!./**/.env"]\n')
            done = machine.run("start", "--", "true")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("must not widen the sandbox: this would show again './**/.env'", done.stderr)

    def test_explain_names_the_rule_and_status_what_is_hidden(self):
        with Machine() as machine:
            write(machine, ".env")
            done = machine.run("explain", "./.env")
            self.assertIn("hidden", done.stdout)
            self.assertRegex(done.stdout, r"built-in default:\d+:\d+")
            with machine.session("true") as session:
                self.assertEqual(session.status()["sandbox"]["hidden"], [str(machine.project / ".env")])

    def test_mask_06_what_git_tracks_stays_visible_and_is_told_once(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add(".env", "test/fixtures/key.pem")
            write(machine, ".env.local")
            with machine.session("cat .env test/fixtures/key.pem .env.local >seen; git status --porcelain") as session:
                told = [line for line in session.status()["warnings"] if "tracks" in line]
                self.assertEqual(len(told), 1)
                self.assertIn(".env, test/fixtures/key.pem", told[0])
            self.assertEqual((machine.project / "seen").read_text(), 2 * SECRET)

    def test_a_tracked_name_with_another_content_is_refused_so_no_forged_index_shows_a_secret(self):
        with Machine() as machine:
            repository = Repository(machine)
            repository.add("kept")
            write(machine, ".env")
            inside = machine.start("echo guess >g; git update-index --add --cacheinfo 100644,$(git hash-object -w g),.env; cat .env")
            self.assertNotIn("s3cret", inside.stdout)
            done = machine.run("start", "--", "cat", ".env")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")
            self.assertIn("hides '.env', which git tracks with another content", done.stderr)
            self.assertIn("--rw .env", done.stderr)
            self.assertEqual(seen(machine, (".env",), "--rw", ".env"), [".env"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
