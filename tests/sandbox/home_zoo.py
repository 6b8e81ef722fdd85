# SPDX-License-Identifier: Apache-2.0
"""A home as people have it: dotfiles behind links of every form, secrets in sixty places, tools of many managers."""
import os

CANARY = "canary-that-no-agent-may-read"

# Below the home; a name that ends in "/" is a directory with a file in it.
SECRETS = """
.ssh/id_ed25519 .ssh/config .gnupg/private-keys-v1.d/a.key .aws/credentials .aws/sso/cache/a.json .azure/accessTokens.json
.config/gcloud/credentials.db .kube/config .docker/config.json .netrc .npmrc .pypirc .cargo/credentials .cargo/credentials.toml
.config/gh/hosts.yml .config/glab-cli/config.yml .git-credentials .config/git/credentials .password-store/a.gpg
.local/share/keyrings/login.keyring .local/share/kwalletd/kdewallet.kwl .mozilla/firefox/a/logins.json
.config/google-chrome/Default/Cookies .config/chromium/Default/Cookies .config/BraveSoftware/a .thunderbird/a/logins.json
.terraform.d/credentials.tfrc.json .vault-token .pgpass .my.cnf .config/op/config .config/rclone/rclone.conf .bash_history
.zsh_history .psql_history .mysql_history .sqlite_history .python_history .node_repl_history .lesshst .viminfo
.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/opencode/opencode.json .pi/agent/auth.json
.local/share/opencode/auth.json .cursor/mcp.json .aider.conf.yml .env .envrc .config/hub .m2/settings.xml
.gradle/gradle.properties .gem/credentials .bundle/config .composer/auth.json .config/composer/auth.json .sui/sui.keystore
.ethereum/keystore/a .bitcoin/wallet.dat .electrum/wallets/a .config/doctl/config.yaml .config/heroku/a .fly/config.yml
.config/containers/auth.json .local/share/containers/a/auth.json .cache/gh/a .cache/huggingface/token .oci/oci_api_key.pem
.boto .s3cfg .config/sops/age/keys.txt .local/share/mkcert/rootCA-key.pem .local/state/zsh/history .local/share/fish/fish_history
.config/agentctl/profiles/mine.toml .fake-creds .my_token .secrets other-project/.env mail/inbox
""".split()


def write(path, text, mode=0o600):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def program(path, answer):
    return write(path, f"#!/bin/sh\necho {answer}\n", 0o755)


def build_secrets(home):
    for name in SECRETS:
        text = f'[env.set]\nA = "{CANARY}"\n' if name.endswith("mine.toml") else f"{CANARY} {name}\n"
        write(home / name, text)


def build_dotfiles(home):
    """Each dotfile by another form of link, into a repository as `stow` or a hand keeps it."""
    repository = home / "dotfiles"
    write(repository / "bash/.bashrc", "export FROM_BASHRC=yes\n")
    write(repository / "profile", "export FROM_PROFILE=yes\n")
    write(repository / "git/config", "[user]\n\tname = Ada\n\temail = ada@example.org\n")
    (home / ".bashrc").symlink_to("dotfiles/bash/.bashrc")  # relative
    (home / ".profile").symlink_to(repository / "profile")  # absolute
    (home / "gitconfig").symlink_to("dotfiles/git/config")
    (home / ".gitconfig").symlink_to("gitconfig")  # a chain
    (home / ".inputrc").symlink_to("dotfiles/gone")  # dangling
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/git").symlink_to("../dotfiles/git")  # a directory: stow folds trees


def build_tools(home):
    """Version managers with a stub of each tool; gives the directories as they stand in PATH."""
    node = home / ".nvm/versions/node/v22.1.0"
    program(node / "bin/nvm-tool", "nvm")
    write(node / "lib/node_modules/cli/cli.js", "#!/usr/bin/env nvm-node\n", 0o755)
    program(node / "bin/nvm-node", "ran-by-nvm-node")
    os.symlink("../lib/node_modules/cli/cli.js", node / "bin/cli")
    shims = {
        ".volta/bin/volta-tool": ('exec "$HOME/.volta/tools/image/volta-tool"', ".volta/tools/image/volta-tool", "volta"),
        ".asdf/shims/asdf-tool": ('grep -q asdf "$HOME/.tool-versions" && exec "$HOME/.asdf/installs/asdf-tool"',
                                  ".asdf/installs/asdf-tool", "asdf"),
        ".pyenv/shims/pyenv-tool": ('exec "$HOME/.pyenv/versions/$(cat "$HOME/.pyenv/version")/bin/pyenv-tool"',
                                    ".pyenv/versions/3/bin/pyenv-tool", "pyenv"),
        ".cargo/bin/cargo-tool": ('exec "$HOME/.rustup/toolchains/stable/bin/cargo-tool"',
                                  ".rustup/toolchains/stable/bin/cargo-tool", "rustup"),
        ".local/share/mise/shims/mise-tool": (
            'test -r "$HOME/.config/mise/config.toml" && test -r "$HOME/.local/state/mise/trusted" && '
            'exec "$HOME/.local/share/mise/installs/mise-tool"', ".local/share/mise/installs/mise-tool", "mise"),
    }
    for shim, (script, target, answer) in shims.items():
        write(home / shim, f"#!/bin/sh\n{script}\n", 0o755)
        program(home / target, answer)
    write(home / ".tool-versions", "asdf-tool 1\n")
    write(home / ".pyenv/version", "3\n")
    write(home / ".config/mise/config.toml", "")
    write(home / ".local/state/mise/trusted", "")
    program(home / ".bun/bin/bun-tool", "bun")
    program(home / "go/bin/go-tool", "go")
    program(home / ".local/share/fnm/node-versions/v20/installation/bin/fnm-tool", "fnm")
    program(home / ".local/share/claude/versions/2", "claude-2")
    (home / ".local/bin").mkdir(parents=True)
    (home / ".local/bin/claude").symlink_to(home / ".local/share/claude/versions/2")
    directories = [node / "bin", home / "go/bin", home / ".local/bin", home / "gone/bin",
                   home / ".local/share/fnm/node-versions/v20/installation/bin", home / ".bun/bin"]
    directories += [(home / shim).parent for shim in shims]
    return [str(directory) for directory in directories]


TOOLS = {"nvm-tool": "nvm", "cli": "ran-by-nvm-node", "volta-tool": "volta", "asdf-tool": "asdf", "pyenv-tool": "pyenv",
         "cargo-tool": "rustup", "mise-tool": "mise", "bun-tool": "bun", "go-tool": "go", "fnm-tool": "fnm", "claude": "claude-2"}


def listing(directory):
    """Every name below a directory with what makes it the same file: kind, mode, size, time of change, target."""
    found = {}
    for path, names, files in os.walk(directory):
        for name in names + files:
            at = os.path.join(path, name)
            status = os.lstat(at)
            target = os.readlink(at) if os.path.islink(at) else ""
            size = 0 if os.path.isdir(at) else status.st_size
            found[at] = (status.st_mode, size, status.st_mtime_ns, status.st_ino, target)
    return found
