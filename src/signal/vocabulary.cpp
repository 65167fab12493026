#include "signal/vocabulary.h"

#include <algorithm>
#include <array>

#include "base/enum_count.h"
#include "base/text.h"

namespace capsule::signal {
namespace {

constexpr auto kDialects = std::to_array<std::string_view>({"contract", "line", "block"});
static_assert(kDialects.size() == enum_count<Dialect>());
constexpr auto kRoles =
    std::to_array<std::string_view>({"developer", "critic", "auditor", "business-analyst",
                                     "remediation", "health-auditor", "expert", "plan-analyst"});
static_assert(kRoles.size() == enum_count<Role>() && kRoleCount == enum_count<Role>());
constexpr auto kPriorities = std::to_array<std::string_view>(
    {"blocked", "divine", "expert request", "file conflict", "primary", "checkpoint", ""});
static_assert(kPriorities.size() == enum_count<Priority>());
constexpr auto kPhases =
    std::to_array<std::string_view>({"expansion", "init", "planning", "execution", "qa", "review",
                                     "fix", "check", "reflect", "complete"});
static_assert(kPhases.size() == enum_count<Phase>() && kPhaseCount == enum_count<Phase>());
static_assert(kSignalCount == enum_count<Signal>());
constexpr std::array<std::string_view, 6> kPipelinePhases{
    "test-writer", "test-review", "execute", "execute-review", "sign-off", "merge"};

template <class Enum, std::size_t n>
std::optional<Enum> named(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (same_letters(names[i], name)) return static_cast<Enum>(i);
  return std::nullopt;
}

bool is_skipped(Phase phase, Skips skips) {
  switch (phase) {
    case Phase::expansion:
      return skips.expansion;
    case Phase::qa:
      return skips.qa;
    case Phase::review:
    case Phase::fix:
    case Phase::check:
      return skips.review;
    case Phase::reflect:
      return skips.reflect;
    default:
      return false;
  }
}

std::string_view next_of(const Row& row, Phase phase) {
  if (row.kind == BlockKind::finish) return "none";
  const Phase next = next_phase(phase, {});
  return next == Phase::complete ? "none" : name_of(next);
}

}  // namespace

std::span<const Row> vocabulary(Dialect dialect) {
  // Where each dialect begins, and the end; a test holds it to the rows.
  constexpr std::array<std::size_t, 4> kBounds{
      static_cast<std::size_t>(Signal::pass), static_cast<std::size_t>(Signal::ready_for_review),
      static_cast<std::size_t>(Signal::expansion_complete), kSignalCount};
  const auto index = static_cast<std::size_t>(dialect);
  return vocabulary().subspan(kBounds[index], kBounds[index + 1] - kBounds[index]);
}

const Row* find_signal(std::string_view name) {
  for (const Row& row : vocabulary())
    if (same_letters(row.name, name) || (!row.wire.empty() && same_letters(row.wire, name)))
      return &row;
  return nullptr;
}

std::vector<std::string> senders_of(const Row& row) {
  std::vector<std::string> names;
  switch (row.dialect) {
    case Dialect::contract:
      names.assign(kPipelinePhases.begin(), kPipelinePhases.end());
      break;
    case Dialect::line:
      for (std::size_t i = 0; i < kRoleCount; ++i)
        if (row.senders.contains(static_cast<Role>(i))) names.emplace_back(kRoles[i]);
      break;
    case Dialect::block:
      // Any phase may fail, and any may find that the whole work is done.
      if (row.kind == BlockKind::completion || row.kind == BlockKind::transition)
        names.emplace_back(name_of(row.phase));
      else
        names.assign(kPhases.begin(), kPhases.end() - 1);
      break;
  }
  return names;
}

std::vector<std::string_view> labels_of(const Row& row) {
  std::vector<std::string_view> labels;
  if (row.dialect != Dialect::line) return labels;
  const auto lines = split(row.format, '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line == kPromptStart) labels.push_back(kPromptLabel);
    if (line.empty() || line.front() < 'A' || line.front() > 'Z') continue;
    const std::size_t colon = line.find(':');
    if (colon != line.npos) labels.push_back(line.substr(0, colon));
  }
  return labels;
}

std::string format_text(const Row& row, std::string_view task, std::optional<Phase> phase) {
  std::string text(row.format);
  switch (row.dialect) {
    case Dialect::contract:
      return replace_all(text, "[STATUS]", row.wire);
    case Dialect::line:
      return task.empty() ? text : replace_all(text, "[task_id]", task);
    case Dialect::block:
      text = replace_all(text, "[SIGNAL_NAME]", row.wire);
      if (row.kind != BlockKind::error) {
        if (!phase) phase = row.phase;
        text = replace_all(text, "[next_phase or 'none']", next_of(row, *phase));
      }
      return phase ? replace_all(text, "[current_phase]", name_of(*phase)) : text;
  }
  return text;
}

std::string_view name_of(Dialect dialect) { return kDialects[static_cast<std::size_t>(dialect)]; }
std::string_view name_of(Role role) { return kRoles[static_cast<std::size_t>(role)]; }
std::string_view name_of(Priority priority) {
  return kPriorities[static_cast<std::size_t>(priority)];
}
std::string_view name_of(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

std::optional<Dialect> dialect_named(std::string_view name) {
  return named<Dialect>(kDialects, name);
}
std::optional<Role> role_named(std::string_view name) { return named<Role>(kRoles, name); }
std::optional<Phase> phase_named(std::string_view name) { return named<Phase>(kPhases, name); }

Phase first_phase(Skips skips) { return skips.expansion ? Phase::init : Phase::expansion; }

Phase next_phase(Phase phase, Skips skips) {
  auto next = static_cast<std::size_t>(phase);
  while (next + 1 < kPhaseCount)
    if (!is_skipped(static_cast<Phase>(++next), skips)) return static_cast<Phase>(next);
  return Phase::complete;
}

Signal expected_signal(Phase phase) {
  constexpr auto kFirst = static_cast<std::size_t>(Signal::expansion_complete);
  return static_cast<Signal>(kFirst + static_cast<std::size_t>(phase));
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

bool is_task_id(std::string_view text) {
  constexpr std::size_t kMaxIdBytes = 100;
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.size() > kMaxIdBytes || !is_alnum(text.front())) return false;
  if (text.find("..") != text.npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace capsule::signal
