# SPDX-License-Identifier: Apache-2.0
"""A desktop's notification server on a message bus: takes what is shown (Desktop Notifications Specification 1.2), presses
buttons, and takes notifications away as a person does. It reads only while the test waits."""
import time

import bus_client  # noqa: F401  finds Debian's jeepney
from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_call, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

from waiting import Deadline, left

NAME = "org.freedesktop.Notifications"
BUS = DBusAddress("/org/freedesktop/DBus", bus_name="org.freedesktop.DBus", interface="org.freedesktop.DBus")
SERVER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
PRIMARY_OWNER = 1
DISMISSED, CLOSED_BY_CALL = 2, 3


class Notification:
    """One call of Notify, as it came."""

    def __init__(self, number, body):
        self.number = number
        self.application, self.replaces, self.icon, self.title, self.body, actions, hints, self.timeout = body
        self.actions = dict(zip(actions[::2], actions[1::2]))
        self.hints = {key: value for key, (_, value) in hints.items()}

    def __repr__(self):
        return f"<{self.number} replaces {self.replaces}: {self.title!r} {self.body!r} {self.actions} {self.hints}>"


class NotificationServer:
    """`with NotificationServer(address) as server:` it has the name on that bus; then it is gone."""

    def __init__(self, address):
        self.connection = open_dbus_connection(address)
        self.calls = []   # every Notify, in order
        self.shown = {}   # by number: what a person sees now
        reply = self.connection.send_and_get_reply(new_method_call(BUS, "RequestName", "su", (NAME, 4)), timeout=10)
        if reply.body != (PRIMARY_OWNER,):
            raise AssertionError(f"the bus does not give the name {NAME}: {reply.body}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def titles(self):
        return [call.title for call in self.calls]

    def wait_until(self, predicate, seconds=30, what="a notification"):
        """Serves until predicate() is true; gives what it gives."""
        until = time.monotonic() + seconds
        while not (found := predicate()):
            try:
                message = self.connection.receive(timeout=left(until))
            except TimeoutError:
                raise Deadline(f"{what}: not within {seconds} s; there were {self.calls}") from None
            if message.header.message_type is MessageType.method_call:
                self.answer(message)
        return found

    def wait_for(self, title, seconds=30):
        """The last notification of that title, once there is one."""
        return self.wait_until(lambda: next((call for call in reversed(self.calls) if call.title == title), None), seconds,
                               f"notification '{title}'")

    def answer(self, call):
        member = call.header.fields[HeaderFields.member]
        if member == "Notify":
            number = call.body[1] if call.body[1] in self.shown else len(self.calls) + 1
            notification = Notification(number, call.body)
            self.calls.append(notification)
            self.shown[number] = notification
            self.connection.send(new_method_return(call, "u", (number,)))
        elif member == "CloseNotification":
            self.take_away(call.body[0], CLOSED_BY_CALL)
        else:
            self.connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))

    def take_away(self, number, reason=DISMISSED):
        if self.shown.pop(number, None) is not None:
            self.connection.send(new_signal(SERVER, "NotificationClosed", "uu", (number, reason)))

    def press(self, notification, action):
        """As a person does, whose desktop takes the notification away then."""
        self.connection.send(new_signal(SERVER, "ActionInvoked", "us", (notification.number, action)))
        self.take_away(notification.number)
