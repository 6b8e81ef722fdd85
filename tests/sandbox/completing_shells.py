# SPDX-License-Identifier: Apache-2.0
"""Real interactive shells on a pty that are asked to complete a line, by their own keys.

Each has a command 'fruit' that completes to apple and apricot, as any program's own completion does.
"""
import re

from pty_driver import PtyDriver

BASH = r"""
bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous off'
. /usr/share/bash-completion/bash_completion
{load}
complete -W 'apple apricot' fruit
PS1='> '
_show() {{ printf 'LINE<%s>\n' "$READLINE_LINE"; READLINE_LINE=; }}
bind -x '"\C-xp": _show'
echo LOADED
"""
ZSH = r"""
autoload -Uz compinit; compinit -u -D
unsetopt beep; setopt no_auto_menu no_always_last_prompt
{load}
_fruit() {{ compadd apple apricot }}
compdef _fruit fruit
PS1='> '
_show() {{ zle -I; print -r -- "LINE<$BUFFER>"; BUFFER= }}
zle -N _show
bindkey '^Xp' _show
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' old-matches no
zstyle ':completion:all-matches:*' insert yes
bindkey '^Xa' all-matches
echo LOADED
"""


class Shell:
    """`with Shell(machine) as shell:` the shell has loaded the completion; everything it starts has the machine's environment."""

    def __init__(self, machine, directory=None):
        self.machine = machine
        self.directory = directory or machine.project
        self.environment = {**machine.environment, "TERM": "dumb", "HISTFILE": ""}
        self.driver = None

    def __enter__(self):
        self.driver = PtyDriver(self.argv(), self.environment, self.directory, rows=200, columns=400)
        self.driver.expect("LOADED")
        return self

    def __exit__(self, *_):
        self.driver.close()

    def line_after(self, line, key):
        """What stands in the line once it was typed, the key pressed, and the shell had done what that made it do."""
        mark = self.driver.mark()
        self.driver.send(line + key + "\x18p")
        return self.driver.expect(r"LINE<(.*)>", since=mark).group(1)

    def shown_after(self, line, key):
        """All that the terminal showed meanwhile."""
        mark = self.driver.mark()
        self.line_after(line, key)
        return self.driver.text(mark)

    def complete(self, line):
        """The line after Tab."""
        return self.line_after(line, "\t")

    def offers(self, line):
        """Every word that may stand at the end."""
        before = line.rpartition(" ")[0].split()
        return self.line_after(line, self.ALL).split()[len(before):]


class Bash(Shell):
    ALL = "\x1b*"

    def argv(self):
        rc = self.machine.root / "bashrc"
        rc.write_text(BASH.format(load="eval \"$(agentctl completion bash)\""))
        return ["bash", "--noprofile", "--rcfile", rc, "-i"]


class Zsh(Shell):
    ALL = "\x18a"

    def argv(self):
        directory = self.machine.root / "zsh"
        directory.mkdir(exist_ok=True)
        (directory / ".zshrc").write_text(ZSH.format(load="source <(agentctl completion zsh)"))
        self.environment["ZDOTDIR"] = str(directory)
        return ["zsh", "-d", "-i"]


class Fish:
    """fish says itself what it would complete."""

    def __init__(self, machine, directory=None):
        self.machine = machine
        self.directory = directory or machine.project

    def __enter__(self):
        self.script = self.machine.root / "completion.fish"
        self.script.write_text(self.machine.command(["agentctl", "completion", "fish"]).stdout)
        return self

    def __exit__(self, *_):
        pass

    def run(self, line):
        script = f"source {self.script}; complete -c fruit -f -a 'apple apricot'; complete -C $argv[1]"
        return self.machine.command(["fish", "--no-config", "-c", script, line], cwd=self.directory)

    def offers(self, line):
        return [answer.split("\t")[0] for answer in self.run(line).stdout.splitlines()]

    def complete(self, line):
        """As Tab does where there is one way to go on."""
        found = self.offers(line)
        if len(found) != 1:
            return line
        word = found[0] if re.fullmatch(r"[\w./=-]+", found[0]) else re.sub(r"([ ])", r"\\\1", found[0])
        return f"{line.rpartition(' ')[0]} {word}" + ("" if word[-1] in "/=" else " ")

    def shown_after(self, line, _):
        done = self.run(line)
        return done.stdout + done.stderr


SHELLS = (Bash, Zsh, Fish)
