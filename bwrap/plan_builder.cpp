// SPDX-License-Identifier: Apache-2.0
#include "bwrap/plan_builder.h"

#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "bwrap/environment_files.h"
#include "bwrap/environment_plan.h"
#include "bwrap/file_rules.h"
#include "bwrap/git_rules.h"
#include "bwrap/hidden_from_git.h"
#include "bwrap/home_layout.h"
#include "bwrap/layout.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/project_check.h"
#include "bwrap/project_rules.h"
#include "bwrap/proxy_variables.h"
#include "bwrap/search_path.h"
#include "bwrap/secret_project.h"
#include "bwrap/served_sockets.h"
#include "bwrap/shown_secrets.h"
#include "bwrap/silent_mounts.h"
#include "bwrap/system_layout.h"
#include "policy/host_remarks.h"
#include "policy/limits.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kNestedWarning =
    "nested is allowed: the session can make user namespaces and mount in them, which brings much more of the kernel "
    "within its reach";
constexpr const char* kShared = "network: shared with the host";
constexpr const char* kSharedWithNames =
    "network: shared with the host, sockets by an abstract name included: the kernel has no Landlock scopes (Linux "
    "6.12) to close those";
constexpr const char* kKeys = "/proc/keys";
constexpr std::size_t kMostNamed = 4;
constexpr std::uint64_t kSmallestTmpfs = 64ULL << 20;

// Pages of a tmpfs count as the session's memory, so half of the limit leaves room for the agent itself.
std::uint64_t tmpfs_bytes(const policy::Policy& policy, const policy::MachineSize& machine) {
  const std::uint64_t limit = policy::resolve_limits(policy.limits, machine).memory_max;
  return std::max((limit == kInfinity ? machine.memory_bytes : limit) / 2, kSmallestTmpfs);
}

Result<void> add_project(const HostFacts& facts, Layout& layout) {
  Want project;
  project.operation.kind = OperationKind::bind_project;
  project.operation.source = facts.project.canonical;
  project.operation.destination = SandboxPath(facts.project.canonical.str());
  project.operation.access = Access::read_write;
  project.operation.origin = "the project";
  layout.want(std::move(project));
  if (facts.project.logical != facts.project.canonical) {
    layout.want_links(*AGENTCTL_TRY(find_fact(facts, facts.project.logical.str())), "the project");
  }
  return {};
}

// What the command needs stays read-only, also inside a writable directory: an agent must not rewrite itself. Within
// the project it is the project's.
void add_command(const CommandFact& command, const HostFacts& facts, Layout& layout) {
  const auto add = [&](const PathFact& fact) {
    layout.want_links(fact, "the command");
    if (starts_with_path(fact.canonical.str(), facts.project.canonical.str())) return;
    layout.want(bind_want(fact, Access::read_only, Rank::read_only, "the command"));
  };
  add(command.program);
  for (const PathFact& need : command.needs) add(need);
}

// A process of uid 0 in a user namespace of its own mounts the cgroups and writes their files, for it owns them.
Result<void> allow_nested(const policy::AllowSettings& allow, const HostFacts& facts, Plan& plan) {
  plan.nested = allow.nested && allow.nested->value;
  if (!plan.nested) return {};
  if (facts.uid == 0) {
    return make_error(ErrorKind::policy,
                      cat(policy::to_string(allow.nested->origin),
                          ": nested is not for root: what runs inside could lift the limits of its own session"),
                      "start the session as an ordinary user");
  }
  plan.warnings.emplace_back(kNestedWarning);
  return {};
}

// The session may use them; what it leaves there the user's shell would run next.
void warn_of_project_tools(const HostFacts& facts, std::vector<std::string>& warnings) {
  for (const std::string& directory : search_directories(facts.environment)) {
    if (!is_tool_directory_of_project(directory, facts)) continue;
    warnings.push_back(cat("files: '", printable(directory),
                           "' is in your PATH and in the project: your shell runs what the agent puts there"));
  }
}

void warn_of_withheld(const Layout& layout, std::vector<std::string>& warnings) {
  for (const auto& [path, shown] : layout.withheld()) {
    std::string some;
    for (std::size_t at = 0; at < std::min(shown.size(), kMostNamed); ++at) {
      some += cat(at == 0 ? "'" : ", '", printable(shown[at]), "'");
    }
    if (shown.size() > kMostNamed) some += cat(" and ", shown.size() - kMostNamed, " more");
    warnings.push_back(cat("files: '", printable(path), "' is hidden, and with it what is shown by default: ", some));
  }
}

// A name that the caller's own PATH does not lead to.
void tell_where_found(const HostFacts& facts, std::vector<std::string>& warnings) {
  const std::string& program = facts.command.program.path.str();
  const std::string directory = parent_path(program);
  const auto& beyond = facts.user_programs;
  if (facts.command.words.front().find('/') != std::string::npos) return;
  if (std::find(beyond.begin(), beyond.end(), directory) == beyond.end()) return;
  warnings.push_back(cat("command: '", printable(facts.command.words.front()), "' is not in PATH, but here: '",
                         printable(program), "'"));
}

bool has_variable(const std::vector<std::string>& environment, std::string_view name) {
  return std::any_of(environment.begin(), environment.end(), [&](const std::string& variable) {
    return variable.starts_with(name) && variable[name.size()] == '=';
  });
}

// The kernel lists a user's keys in every namespace that knows the user. Not with nested: the kernel lets nobody mount
// a /proc inside who does not see the whole of one already (mount_namespaces(7)).
Result<void> hide_keys(const HostFacts& facts, Layout& layout) {
  const PathFact& fact = *AGENTCTL_TRY(find_fact(facts, kKeys));
  if (fact.kind != PathKind::file) return {};
  Want want = hide_want(fact, "built-in default");
  want.rank = Rank::built_in;
  layout.want(std::move(want));
  return {};
}

}  // namespace

Result<Plan> build_plan(const policy::Policy& policy, const HostFacts& facts) {
  AGENTCTL_TRY_VOID(check_project(facts));
  AGENTCTL_TRY_VOID(check_project_secrets(policy.files, facts));

  Plan plan;
  plan.network = policy::network_mode(policy);
  const bool shares_network = plan.network == policy::NetworkMode::host;
  plan.closes_scopes = shares_network && facts.has_landlock_scopes;
  if (shares_network) plan.warnings.emplace_back(plan.closes_scopes ? kShared : kSharedWithNames);
  if (shares_network && !plan.closes_scopes && !facts.x_socket.empty()) {
    plan.warnings.push_back(cat("network: the session reaches the X server at '", printable(facts.x_socket),
                                "', and can read your keys and type for you if xhost lets you in"));
  }

  for (std::string& remark : policy::host_remarks(policy)) plan.warnings.push_back(std::move(remark));

  Layout layout;
  const std::uint64_t size = tmpfs_bytes(policy, facts.machine);
  AGENTCTL_TRY_VOID(add_system_layout(facts, {plan.network, size}, layout, plan.warnings));
  HomePlan home = AGENTCTL_TRY(add_home(policy.files, facts, size, layout));
  AGENTCTL_TRY_VOID(add_project(facts, layout));
  add_command(facts.command, facts, layout);
  add_git(facts, layout, plan.warnings);
  add_certificates(policy.env, facts, layout);
  tell_where_found(facts, plan.warnings);
  AGENTCTL_TRY_VOID(add_file_rules(policy.files, facts, layout, plan.warnings));
  const Opened opened = AGENTCTL_TRY(add_openings(policy, facts, layout));
  plan.warnings.insert(plan.warnings.end(), opened.warnings.begin(), opened.warnings.end());
  AGENTCTL_TRY_VOID(allow_nested(policy.allow, facts, plan));
  if (!plan.nested) AGENTCTL_TRY_VOID(hide_keys(facts, layout));
  add_search_path(facts, layout);
  add_private_places(policy.files, facts, size, layout, home, plan.warnings);
  cover_silent_mounts(facts, layout, plan.warnings);
  cover_served_sockets(policy.files, facts, layout, plan.warnings);
  warn_of_project_tools(facts, plan.warnings);
  plan.operations = AGENTCTL_TRY(layout.arrange());
  warn_of_withheld(layout, plan.warnings);
  warn_of_shown_secrets(policy.files, facts, layout, plan.warnings);
  tell_of_git(facts, layout, plan.warnings);
  plan.late_roots = {"/etc"};
  if (!facts.home_has_mounts) plan.late_roots.push_back(facts.home.canonical.str());
  take_mount_points(plan.operations, facts, home.own);
  plan.own = std::move(home.own);
  plan.private_home = std::move(home.private_place);
  if (!plan.own.home.empty()) {
    plan.warnings.push_back(cat("home: kept from session to session in '", printable(plan.own.home), "'"));
  }
  plan.hidden_names = layout.hidden_names();
  for (const std::string& name : facts.git.refused) {
    if (layout.is_writable(parent_path(name))) plan.refused_names.push_back(name);
  }
  plan.shown_by_name = layout.shown_by_name();
  for (const Operation& operation : plan.operations) {
    if (operation.destination.str() == kKeys) continue;  // the kernel's own, and no file that anybody would miss
    if (operation.kind == OperationKind::mask) plan.hidden.push_back(operation.destination.str());
  }

  plan.environment = plan_environment(policy, facts, layout, opened.variables, home.cache, plan.warnings);
  const bool is_taken = has_variable(plan.environment, "GIT_CONFIG_COUNT");
  GitSettings git = git_settings(facts);
  if (plan.network == policy::NetworkMode::allowlist) {
    for (auto& setting : proxy_git_settings(plan.environment)) git.push_back(std::move(setting));
  }
  hide_from_git(policy.files, facts, layout, is_taken, plan, git);
  for (std::string& variable : git_variables(git)) {
    if (!is_taken) plan.environment.push_back(std::move(variable));
  }
  plan.project_rules = project_rules(policy.files, facts);
  plan.command = facts.command.words;
  plan.program = SandboxPath(facts.command.program.path.str());
  plan.working_directory = SandboxPath(facts.project.logical.str());
  plan.bwrap = facts.bwrap.path;
  plan.has_bind_fd = facts.bwrap.has_bind_fd;
  return plan;
}

}  // namespace agentctl::bwrap
