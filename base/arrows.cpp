// SPDX-License-Identifier: Apache-2.0
// The module that checks a room's arrows needs a source of its own; everything else in it is the room.
