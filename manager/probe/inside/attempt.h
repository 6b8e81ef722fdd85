// SPDX-License-Identifier: Apache-2.0
// An attempt of the probe's inside half: one try to get through one wall. It runs in a process of its own, which it may
// spoil, and says what came of it. Nothing it does may harm the machine when it succeeds, not even as root: it names
// what does not exist, opens and closes, or undoes itself. For system calls the arguments are such that a caller whom
// no filter stops gets something else than the filter's errno, whatever its privileges.
#pragma once

#include <cstddef>

namespace agentctl::probe {

enum class Finding { none, blocked, open, skip };

// Lies in memory that the attempt's process shares with the one that prints it.
struct Outcome {
  Finding finding;
  char detail[240];
};

void blocked(Outcome& outcome, const char* format, ...) __attribute__((format(printf, 2, 3)));
void open_wall(Outcome& outcome, const char* format, ...) __attribute__((format(printf, 2, 3)));
void skip(Outcome& outcome, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Open when the call succeeded, else blocked with the errno's name.
void by_success(Outcome& outcome, long returned);
// Open when the kernel's own code answered, with success or an errno that no filter of agentctl gives for it.
void by_filter(Outcome& outcome, long returned);

// What the host half told on the command line, as KEY=VALUE. "" and 0: not told, so not planted.
const char* told(const char* key);
long told_number(const char* key);
bool is_told(const char* key);

// Appends a word to a list of them, as long as there is room.
void add_word(char* list, std::size_t size, const char* word);
// Appends the secrets of the host half in `text` to `found`, which holds `size` bytes; gives how many there are.
int find_secrets(const char* text, std::size_t length, char* found, std::size_t size);
// Reads up to `size` - 1 bytes of a file; -1 with errno.
long read_file(int directory, const char* path, char* text, std::size_t size);
// Blocked, or open with the secrets that the file holds.
void read_secret(Outcome& outcome, int directory, const char* path);

// The host half does something now, and types a line when it has. False: it does not answer.
bool wait_for_host(const char* what);

struct Attempt {
  const char* name;
  void (*run)(Outcome& outcome);
};
struct AttemptList {
  const Attempt* first;
  std::size_t count;
};

AttemptList terminal_attempts();
AttemptList endpoint_attempts();
AttemptList process_attempts();
AttemptList kernel_object_attempts();
AttemptList call_attempts();
AttemptList namespace_attempts();
AttemptList file_attempts();
AttemptList project_attempts();
AttemptList environment_attempts();
AttemptList limit_attempts();
AttemptList last_attempts();  // what the attempts after it might not survive

}  // namespace agentctl::probe
