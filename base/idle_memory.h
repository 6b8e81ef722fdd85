// SPDX-License-Identifier: Apache-2.0
// Gives back what only the start needed: freed heap, and the pages of program text, which the kernel reads again should
// they be used again (madvise(2), MADV_DONTNEED on a private file mapping). For a process that will now wait for hours.
#pragma once

namespace agentctl {

void give_back_idle_memory();

}  // namespace agentctl
