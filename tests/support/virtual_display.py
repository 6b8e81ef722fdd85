# SPDX-License-Identifier: Apache-2.0
"""An X server without hardware (Xvfb) and what a user does in it: seeing windows, closing them, typing, a screenshot.

There is no window manager: a window that a program opens is mapped as it is. Waits on the server's events alone.
"""
import os
import select
import struct
import subprocess
import time
import zlib

import Xlib.display
import Xlib.error
import Xlib.ext.damage
import Xlib.ext.xtest
from Xlib import X, XK
from Xlib.protocol import event

from waiting import Deadline

WIDTH, HEIGHT = 800, 600


class VirtualDisplay:
    """`with VirtualDisplay() as display:` the server, and with it every window, is gone afterwards."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
            pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader, encoding="ascii") as numbers:
            number = numbers.readline().strip()
        if not number:
            raise Deadline(f"Xvfb has ended with status {self.server.wait()} before it was ready")
        self.name = f":{number}"
        self.x = Xlib.display.Display(self.name)
        self.root = self.x.screen().root
        self.root.change_attributes(event_mask=X.SubstructureNotifyMask)
        self.x.damage_query_version()
        self.root.damage_create(Xlib.ext.damage.DamageReportRawRectangles)
        self.x.sync()
        return self

    def __exit__(self, *_):
        self.x.close()
        self.server.terminate()
        self.server.wait()

    def windows(self):
        """The windows that can be seen, as (window, name of the program)."""
        seen = []
        for window in self.root.query_tree().children:
            try:
                name = window.get_wm_class()
                if name and window.get_attributes().map_state == X.IsViewable:
                    seen.append((window, name[0]))
            except Xlib.error.XError:
                continue  # closed meanwhile
        return seen

    def wait_for(self, predicate, what, seconds=30.0):
        """Waits until predicate() is true, looking again whenever something happens on the screen."""
        until = time.monotonic() + seconds
        while True:
            found = predicate()
            if found:
                return found
            if time.monotonic() >= until:
                raise Deadline(f"{what}: not within {seconds} s; on the screen: {[name for _, name in self.windows()]}")
            self.wait_for_change(until - time.monotonic())

    def wait_for_change(self, seconds):
        """Waits until something happens on the screen, or for so long."""
        if self.x.pending_events() or select.select([self.x.fileno()], [], [], seconds)[0]:
            while self.x.pending_events():
                self.x.next_event()

    def wait_for_window(self):
        return self.wait_for(self.windows, "a window")[0][0]

    def wait_until_empty(self):
        self.wait_for(lambda: not self.windows(), "no window")

    def close(self, window):
        """As the button in a window's title does (ICCCM 4.2.8.1)."""
        protocols, delete = (self.x.intern_atom(name) for name in ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
        message = event.ClientMessage(window=window, client_type=protocols, data=(32, [delete, X.CurrentTime, 0, 0, 0]))
        window.send_event(message, event_mask=X.NoEventMask)
        self.x.sync()

    def type(self, window, *keys):
        """Keys by the names of their symbols: "a", "1", "Return"."""
        window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
        for key in keys:
            code = self.x.keysym_to_keycode(XK.string_to_keysym(key))
            Xlib.ext.xtest.fake_input(self.x, X.KeyPress, code)
            Xlib.ext.xtest.fake_input(self.x, X.KeyRelease, code)
        self.x.sync()

    def pixels(self):
        return self.root.get_image(0, 0, WIDTH, HEIGHT, X.ZPixmap, 0xFFFFFFFF).data

    def count_colour(self, red, green, blue):
        """How many pixels of the screen have just this colour."""
        return sum(1 for pixel in struct.iter_unpack("<I", self.pixels()) if pixel[0] & 0xFFFFFF == red << 16 | green << 8 | blue)

    def save(self, path):
        """The screen as a PNG file (RFC 2083)."""
        pixels = self.pixels()
        rows = b"".join(b"\0" + bytes(pixels[at + byte] for at in range(row * WIDTH * 4, (row + 1) * WIDTH * 4, 4) for byte in (2, 1, 0))
                        for row in range(HEIGHT))
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
