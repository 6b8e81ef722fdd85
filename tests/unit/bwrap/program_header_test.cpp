// SPDX-License-Identifier: Apache-2.0
#include "bwrap/program_header.h"

#include <elf.h>

#include <cstddef>
#include <cstring>

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

std::string elf_with_interpreter(const std::string& interpreter) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = interpreter.size() + 1;
  std::string bytes(sizeof header + sizeof segment, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &segment, sizeof segment);
  return bytes + interpreter + '\0';
}

TEST_SUITE("program_header") {
  TEST_CASE("the interpreter line is read as the kernel reads it") {
    const ProgramHeader header = parse_program_header("#! \t/usr/bin/env node --flag\nrest");
    CHECK(header.is_script);
    CHECK_EQ(header.interpreter, "/usr/bin/env");
    CHECK_EQ(header.arguments, std::vector<std::string>{"node", "--flag"});
    CHECK_EQ(parse_program_header("#!/bin/sh").interpreter, "/bin/sh");
  }

  TEST_CASE("an empty line, text and nothing at all have no interpreter") {
    CHECK_EQ(parse_program_header("#!\n").interpreter, "");
    CHECK_EQ(parse_program_header("#!").interpreter, "");
    CHECK_EQ(parse_program_header("echo hi\n").interpreter, "");
    CHECK_EQ(parse_program_header("").interpreter, "");
    CHECK_EQ(parse_program_header("\x7f"
                                  "ELF")
                 .interpreter,
             "");
  }

  TEST_CASE("an ELF file names its loader") {
    CHECK_EQ(parse_program_header(elf_with_interpreter("/lib64/ld.so")).interpreter, "/lib64/ld.so");
    CHECK_FALSE(parse_program_header(elf_with_interpreter("/lib64/ld.so")).is_script);
  }

  TEST_CASE("a cut or lying ELF file has no interpreter and is read nowhere else") {
    const std::string whole = elf_with_interpreter("/lib64/ld.so");
    for (std::size_t size = 0; size + 13 < whole.size(); ++size) {
      CHECK_EQ(parse_program_header(whole.substr(0, size)).interpreter, "");
    }
    std::string lying = whole;
    std::memset(lying.data() + offsetof(Elf64_Ehdr, e_phoff), 0xff, sizeof(Elf64_Off));
    CHECK_EQ(parse_program_header(lying).interpreter, "");
    lying = whole;
    std::memset(lying.data() + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz), 0xff, sizeof(Elf64_Xword));
    CHECK_EQ(parse_program_header(lying).interpreter, "");
  }

  TEST_CASE("the program of env stands after its options and assignments") {
    CHECK_EQ(program_of_env({"node"}), "node");
    CHECK_EQ(program_of_env({"-S", "node", "--flag"}), "node");
    CHECK_EQ(program_of_env({"-Snode", "--flag"}), "node");
    CHECK_EQ(program_of_env({"-i", "-u", "HOME", "A=1", "B=2", "python3"}), "python3");
    CHECK_EQ(program_of_env({}), "");
    CHECK_EQ(program_of_env({"-u"}), "");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
