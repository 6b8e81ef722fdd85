# SPDX-License-Identifier: Apache-2.0
"""Logins of the guest's user by PAM and logind, and what is left of the user without one."""
import machine
import waiting
from session import PROJECT, SessionCase

LOGIN_UNIT = "guest-login.service"


class LoginCase(SessionCase):
    def log_in(self, *command):
        """Runs a command in a login session of its own, as a display manager or sshd would."""
        machine.must(
            "systemd-run", "--quiet", "--collect", f"--unit={LOGIN_UNIT}", "--property=PAMName=login",
            "--property=User=dev", f"--property=WorkingDirectory={PROJECT}", "--property=TTYPath=/dev/null", *command)
        self.addCleanup(machine.run, "systemctl", "stop", LOGIN_UNIT)

    def linger(self, enabled):
        machine.must("loginctl", "enable-linger" if enabled else "disable-linger", "dev")

    def without_linger(self):
        def undo():
            self.linger(True)
            machine.wait_for_user_manager()

        self.addCleanup(undo)
        self.linger(False)

    def wait_until_manager_ended(self, pid):
        waiting.wait_for_end(pid, 60)
        machine.wait_until_removed(machine.USER_CGROUP, 60)

    def processes_of_dev(self):
        found = []
        for pid, name, _ in machine.processes():
            try:
                fields = machine.read(f"/proc/{pid}/status").split("Uid:")[1].split()
            except OSError:
                continue
            if int(fields[0]) == machine.DEV.pw_uid:
                found.append(f"{pid} {name}")
        return found
