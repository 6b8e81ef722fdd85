# SPDX-License-Identifier: Apache-2.0
"""A client of org.agentctl.Manager1 as a stranger would write it, with jeepney (Debian: python3-jeepney)."""
import collections
import sys
import time

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's own, whichever python runs this
from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, new_method_call  # noqa: E402
from jeepney.bus_messages import message_bus  # noqa: E402
from jeepney.io.blocking import open_dbus_connection  # noqa: E402

from waiting import Deadline, left  # noqa: E402

NAME = "org.agentctl.Manager1"
PATH = "/org/agentctl/Manager1"
MANAGER = "org.agentctl.Manager1"
SESSION = "org.agentctl.Session1"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
CALL_SECONDS = 60

Signal = collections.namedtuple("Signal", "path interface member body")


class CallError(Exception):
    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


def plain(value):
    """Without the types that jeepney has beside the values of variants."""
    if isinstance(value, dict):
        return {key: plain(entry[1]) for key, entry in value.items()}
    return value


def session_path(session_id):
    return f"{PATH}/session/{session_id}"


class BusClient:
    """`with BusClient(address) as bus:` calls, and the signals of the service since then."""

    def __init__(self, address):
        self.connection = open_dbus_connection(bus=address, auth_timeout=10)
        self.everything = collections.deque()
        self.connection.filter(MatchRule(), queue=self.everything)
        for rule in (MatchRule(type="signal", sender=NAME),
                     MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")):
            self.answer(message_bus.AddMatch(rule))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def answer(self, message, seconds=CALL_SECONDS):
        reply = self.connection.send_and_get_reply(message, timeout=seconds)
        if reply.header.message_type == MessageType.error:
            text = reply.body[0] if reply.body else ""
            raise CallError(reply.header.fields[HeaderFields.error_name], text)
        return reply.body

    def call(self, member, signature=None, *body, path=PATH, interface=MANAGER, seconds=CALL_SECONDS):
        """The answer's values: none, the one, or a tuple."""
        address = DBusAddress(path, bus_name=NAME, interface=interface)
        values = self.answer(new_method_call(address, member, signature, body), seconds)
        return values if len(values) > 1 else values[0] if values else None

    def call_session(self, path, member, signature=None, *body):
        return self.call(member, signature, *body, path=path, interface=SESSION)

    def post(self, member, signature, *body):
        """Sends a call and goes on; hear_answer() takes its number."""
        serial = next(self.connection.outgoing_serial)
        self.connection.send(new_method_call(DBusAddress(PATH, bus_name=NAME, interface=MANAGER), member, signature, body), serial)
        return serial

    def hear_answer(self, serial, seconds=CALL_SECONDS):
        until = time.monotonic() + seconds
        while True:
            for message in self.everything:
                if message.header.fields.get(HeaderFields.reply_serial) == serial:
                    return message
            self.receive(until, f"an answer to call {serial}")

    def receive(self, until, what):
        try:
            self.connection.recv_messages(timeout=left(until))
        except TimeoutError:
            raise Deadline(f"{what}: not in time") from None

    def get(self, path, name, interface=SESSION):
        return plain(self.call("Get", "ss", interface, name, path=path, interface=PROPERTIES)[1])

    def get_all(self, path, interface=SESSION):
        return plain(self.call("GetAll", "s", interface, path=path, interface=PROPERTIES))

    def sessions(self):
        """What the ObjectManager has: properties by path."""
        objects = self.call("GetManagedObjects", interface=OBJECT_MANAGER)
        return {path: plain(interfaces[SESSION]) for path, interfaces in objects.items()}

    def signals(self):
        """Those that came so far."""
        return [Signal(message.header.fields.get(HeaderFields.path), message.header.fields.get(HeaderFields.interface),
                       message.header.fields.get(HeaderFields.member), message.body)
                for message in self.everything if message.header.message_type == MessageType.signal]

    def forget_signals(self):
        self.call("Ping", path=PATH, interface="org.freedesktop.DBus.Peer")
        self.everything.clear()

    def wait_for(self, find, seconds=CALL_SECONDS, what="a signal"):
        """The first true find(signal), of those that came and of those to come."""
        until = time.monotonic() + seconds
        seen = 0
        while True:
            signals = self.signals()
            for signal in signals[seen:]:
                if found := find(signal):
                    return found
            seen = len(signals)
            self.receive(until, what)

    def wait_for_added(self, name=None):
        """The path and the properties of a session that appeared."""
        def find(signal):
            if signal.member != "InterfacesAdded" or SESSION not in signal.body[1]:
                return None
            properties = plain(signal.body[1][SESSION])
            return (signal.body[0], properties) if name in (None, properties["Name"]) else None
        return self.wait_for(find, what=f"InterfacesAdded of {name}")

    def wait_for_removed(self, path):
        return self.wait_for(lambda signal: signal.member == "InterfacesRemoved" and signal.body[0] == path and signal,
                             what=f"InterfacesRemoved of {path}")

    def wait_for_change(self, path, name, predicate):
        """The value of a property that PropertiesChanged tells of."""
        def find(signal):
            if signal.member != "PropertiesChanged" or signal.path != path or name not in signal.body[1]:
                return None
            value = plain(signal.body[1][name][1])
            return (value,) if predicate(value) else None
        return self.wait_for(find, what=f"PropertiesChanged of {name}")[0]

    def owner(self):
        """The pid of the service, or None."""
        try:
            return self.answer(message_bus.GetConnectionUnixProcessID(NAME))[0]
        except CallError:
            return None

    def wait_for_owner(self, other_than=None, seconds=CALL_SECONDS):
        """`other_than`: one that was killed, which the bus may not have noticed yet."""
        until = time.monotonic() + seconds
        while (pid := self.owner()) in (None, other_than):  # a signal that has come before may be of an earlier one
            self.receive(until, f"an owner of {NAME}")
        return pid
