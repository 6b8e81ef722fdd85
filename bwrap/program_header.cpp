// SPDX-License-Identifier: Apache-2.0
#include "bwrap/program_header.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

template <typename T>
std::optional<T> read_struct(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// PT_INTERP of elf(5); "" for a static program, and for a table that lies further on in the file.
template <typename Header, typename Segment>
std::string elf_interpreter(std::string_view bytes) {
  const auto header = read_struct<Header>(bytes, 0);
  if (!header || header->e_phentsize != sizeof(Segment)) return {};
  for (std::uint64_t index = 0; index < header->e_phnum; ++index) {
    const auto segment = read_struct<Segment>(bytes, header->e_phoff + index * sizeof(Segment));
    if (!segment) return {};
    if (segment->p_type != PT_INTERP) continue;
    if (segment->p_offset > bytes.size() || segment->p_filesz > bytes.size() - segment->p_offset) return {};
    const std::string_view text = bytes.substr(segment->p_offset, segment->p_filesz);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

std::vector<std::string> split_blanks(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

bool is_assignment(const std::string& word) { return word.find('=') != std::string::npos; }

}  // namespace

ProgramHeader parse_program_header(std::string_view bytes) {
  ProgramHeader header;
  if (bytes.starts_with("#!")) {
    header.is_script = true;
    std::vector<std::string> words =
        split_blanks(bytes.substr(2, bytes.find_first_of(std::string_view("\n\0", 2)) - 2));
    if (words.empty()) return header;
    header.interpreter = words.front();
    header.arguments.assign(words.begin() + 1, words.end());
    return header;
  }
  if (!bytes.starts_with(ELFMAG) || bytes.size() <= EI_CLASS) return header;
  if (bytes[EI_CLASS] == ELFCLASS64) header.interpreter = elf_interpreter<Elf64_Ehdr, Elf64_Phdr>(bytes);
  if (bytes[EI_CLASS] == ELFCLASS32) header.interpreter = elf_interpreter<Elf32_Ehdr, Elf32_Phdr>(bytes);
  return header;
}

std::string program_of_env(const std::vector<std::string>& arguments) {
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "-u" || word == "--unset" || word == "-C" || word == "--chdir") {
      ++at;
    } else if (word.starts_with("-S") && word.size() > 2) {
      std::vector<std::string> rest = {word.substr(2)};
      rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end());
      return program_of_env(rest);
    } else if (!word.starts_with('-') && !is_assignment(word)) {
      return word;
    }
  }
  return {};
}

}  // namespace agentctl::bwrap
