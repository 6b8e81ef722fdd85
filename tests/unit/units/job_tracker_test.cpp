// SPDX-License-Identifier: Apache-2.0
#include "units/job_tracker.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::units {

TEST_SUITE_BEGIN("job_tracker");

TEST_CASE("a job that ends after it is known has its result") {
  JobTracker tracker;
  tracker.expect("/job/1");
  CHECK_FALSE(tracker.result().has_value());
  tracker.note_removed("/job/2", "failed");
  CHECK_FALSE(tracker.result().has_value());
  tracker.note_removed("/job/1", "done");
  CHECK(tracker.result() == "done");
}

TEST_CASE("a job that ended before it was known has its result") {
  JobTracker tracker;
  tracker.note_removed("/job/2", "failed");
  tracker.note_removed("/job/1", "timeout");
  CHECK_FALSE(tracker.result().has_value());
  tracker.expect("/job/1");
  CHECK(tracker.result() == "timeout");
}

TEST_CASE("a result of an earlier job is not taken for the next one's") {
  JobTracker tracker;
  tracker.expect("/job/1");
  tracker.note_removed("/job/1", "done");
  tracker.expect("/job/2");
  CHECK_FALSE(tracker.result().has_value());
}

TEST_CASE("a busy manager's jobs do not pile up, and ours is remembered") {
  JobTracker tracker;
  for (int number = 0; number < 1000; ++number) tracker.note_removed(cat("/job/", number), "done");
  tracker.note_removed("/job/ours", "failed");
  tracker.expect("/job/ours");
  CHECK(tracker.result() == "failed");
  tracker.expect("/job/0");
  CHECK_FALSE(tracker.result().has_value());
}

TEST_SUITE_END();

}  // namespace agentctl::units
