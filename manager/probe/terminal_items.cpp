// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/item.h"

namespace agentctl::probe {
namespace {

constexpr std::string_view kOwnPty = "a pty of the sandbox's own, a new session inside, and a seccomp rule";
constexpr std::string_view kMasked = "compare the request with SCMP_CMP_MASKED_EQ and 0xffffffff";
constexpr std::string_view kFilter = "filter what the agent prints on its way to the terminal";
constexpr std::string_view kDevices = "--dev /dev, and the nodes that are needed one by one";

}  // namespace

const std::vector<Item>& terminal_items() {
  static const std::vector<Item> items = {
      {"tiocsti", "A1", "type into the user's terminal",
       "the user's shell runs what was typed once the agent has ended", "CVE-2017-5226", kOwnPty, Witness::either},
      {"tiocsti-high-bits", "A2", "type into it past a filter of 64 bits",
       "the kernel reads 32 bits of the request, a filter 64", "CVE-2019-10063", kMasked, Witness::either},
      {"tioclinux", "A3", "paste into a console", "pastes what stands on a virtual console", "CVE-2023-28100",
       "refuse TIOCLINUX by seccomp"},
      {"tioclinux-high-bits", "A3", "paste into a console past a filter of 64 bits", "as TIOCSTI with high bits",
       "CVE-2023-28100", kMasked},
      {"tioccons", "A3", "take the console's output", "reads what the kernel and services print", "",
       "refuse TIOCCONS by seccomp"},
      {"tiocsetd", "A3", "change the line discipline", "reaches rarely tested code of the kernel, modules included",
       "CVE-2017-2636", "refuse TIOCSETD by seccomp"},
      {"other-terminal", "A4", "write to another terminal of the user's", "shows text there, and reads what is typed",
       "", "a devpts of its own: --dev /dev", Witness::effect},
      {"graphics", "A4", "open the graphics cards", "large drivers, and the memory of the card", "", kDevices,
       Witness::report, Opening::graphics},
      {"virtual-machines", "A4", "open /dev/kvm", "large code of the kernel", "", kDevices, Witness::report,
       Opening::virtual_machines},
      {"devices", "A4", "open other devices of the host", "input, disks, sound, tunnels", "", kDevices},
      {"non-blocking", "A5", "change the state of the caller's descriptors",
       "O_NONBLOCK stays on the shared file description: the caller's shell breaks", "",
       "relay the streams, never pass them on", Witness::effect},
      {"echo-off", "A5", "change the modes of the user's terminal", "the user types unseen after the end", "",
       "a pty of the sandbox's own; put the modes back at every end", Witness::effect},
      {"group-signal", "A6", "signal the launcher's process group", "ends the wrapper, or the shell's whole job", "",
       "setsid() before bwrap", Witness::effect},
      {"clipboard", "A8", "write the user's clipboard (OSC 52)", "the user pastes a command that the agent chose", "",
       kFilter, Witness::effect, Opening::output},
      {"title-question", "A8", "have the terminal type its title (CSI 21 t)",
       "the answer lands in the shell's input, with a title that the agent chose", "CVE-2003-0063", kFilter,
       Witness::effect, Opening::output},
      {"status-question", "A8", "have the terminal answer (DECRQSS)", "the answer lands in the shell's input",
       "CVE-2008-2383", kFilter, Witness::effect, Opening::output},
      {"notification", "A8", "notify the desktop (OSC 777)", "words of the agent's in the desktop's name", "", kFilter,
       Witness::effect, Opening::output},
      {"answerback", "A8", "have the terminal send its answerback (ENQ)", "the answer lands in the shell's input", "",
       kFilter, Witness::effect, Opening::output},
      {"survivor", "A9", "leave a process behind", "it reads the keys typed after the end, and goes on unseen", "",
       "a pid namespace, --die-with-parent, and a kill of the whole cgroup", Witness::effect},
  };
  return items;
}

}  // namespace agentctl::probe
