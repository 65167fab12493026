// The Markdown form of a plan. One pass over the lines; what is inside a code fence is text.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "plan/parts.h"
#include "plan/words.h"

namespace capsule::plan {
namespace {

enum class Section { none, overview, work, criteria, blocked_by, reading, files, environment };

struct Label {
  std::string_view name;
  Section section;
};
constexpr Label kLabels[] = {
    {"Work", Section::work},
    {"Acceptance Criteria", Section::criteria},
    {"Blocked By", Section::blocked_by},
    {"Required Reading", Section::reading},
    {"Files", Section::files},
    {"Environment", Section::environment},
};

// "**Work**: text" or "**Work:** text", in any case; sets what follows.
const Label* label_of(std::string_view line, std::string_view& rest) {
  if (!line.starts_with("**")) return nullptr;
  line.remove_prefix(2);
  for (const Label& label : kLabels) {
    if (!begins_with(line, label.name)) continue;
    std::string_view after = line.substr(label.name.size());
    if (after.starts_with("**:") || after.starts_with(":**")) {
      rest = trimmed(after.substr(3));
      return &label;
    }
  }
  return nullptr;
}

// What people write in the place of a label of ours.
struct Meant {
  std::string_view word, label;
};
constexpr Meant kMeant[] = {
    {"depends on", "Blocked By"},
    {"dependencies", "Blocked By"},
    {"depends", "Blocked By"},
    {"requires", "Blocked By"},
    {"prerequisites", "Blocked By"},
    {"after", "Blocked By"},
    {"done when", "Acceptance Criteria"},
    {"definition of done", "Acceptance Criteria"},
    {"acceptance", "Acceptance Criteria"},
    {"criteria", "Acceptance Criteria"},
    {"description", "Work"},
    {"goal", "Work"},
    {"details", "Work"},
    {"read first", "Required Reading"},
    {"reading", "Required Reading"},
    {"references", "Required Reading"},
    {"target files", "Files"},
    {"touches", "Files"},
    {"setup", "Environment"},
};

// "Depends On" of "**Depends On**: T-1" and "**Depends On:** T-1"; empty: this is no label.
std::string_view label_like(std::string_view line) {
  constexpr std::size_t kMaxLabelBytes = 40;
  if (!line.starts_with("**")) return {};
  line.remove_prefix(2);
  const std::size_t end = line.find("**");
  if (end == std::string_view::npos || end == 0 || end > kMaxLabelBytes) return {};
  std::string_view name = line.substr(0, end);
  const bool inside = name.ends_with(':');
  if (inside) name.remove_suffix(1);
  if (!inside && !line.substr(end + 2).starts_with(':')) return {};
  return !name.empty() && is_letter(name.front()) ? trimmed(name) : std::string_view();
}

// The label of ours that is probably meant; empty: none is near.
std::string_view label_meant(std::string_view name) {
  const std::string small = lowered(name);
  for (const Meant& meant : kMeant)
    if (small == meant.word) return meant.label;
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, small.size() / 3) + 1;
  for (const Label& label : kLabels)
    if (const std::size_t distance = edit_distance(small, lowered(label.name));
        distance < best_distance && distance < small.size()) {
      best = label.name;
      best_distance = distance;
    }
  return best;
}

class Reader {
 public:
  Reader(Checked& out, std::vector<Lines>& lines) : out_(out), lines_(lines) {}

  void line(std::string_view text, int number) {
    number_ = number;
    const std::string_view bare = trimmed(text);
    // In a list of ids it is an example, or a remark; its lines still count.
    if (fence(bare) || fence_length_ > 0) return add(section_ == Section::blocked_by ? "" : text);
    if (text.starts_with('#') && heading(text)) return;
    // Ends what is being said; labels that follow before the next heading are the task's all the
    // same.
    if (task_open_ && rule(bare)) return flush();
    std::string_view rest;
    if (task_open_) {
      bool item = false;
      const Label* label = label_of(bare, rest);
      if (label == nullptr) label = label_of(without_bullet(bare, item), rest);
      if (label != nullptr) {
        flush();
        section_ = label->section;
        first_ = number;
        if (!seen_.insert(static_cast<int>(section_)).second)
          warn(ProblemKind::repeated_section, "task " + task().id + " has " +
                                                  std::string(label->name) +
                                                  " more than once; they are joined");
        return add(rest);
      }
      warn_of_unknown_label(label_like(bare));
    }
    add(text);
  }

  void end() {
    close();
    if (out_.plan.title.empty() && !out_.plan.tasks.empty())
      out_.warnings.push_back({ProblemKind::no_title, 0, "the plan has no title (# Title)", {}});
  }

 private:
  Task& task() { return out_.plan.tasks.back(); }
  void warn(ProblemKind kind, std::string text) {
    if (out_.warnings.size() < kMaxProblems)
      out_.warnings.push_back({kind, number_, std::move(text), {task().id}});
  }
  void error(ProblemKind kind, std::string text) {
    if (out_.errors.size() < kMaxProblems)
      out_.errors.push_back({kind, number_, std::move(text), {}});
  }

  // What follows such a label belongs to the section before it, or to none. One that is near to no
  // label of ours is perhaps a remark: it is told once.
  void warn_of_unknown_label(std::string_view name) {
    if (name.empty()) return;
    const std::string_view meant = label_meant(name);
    if (meant.empty() && !remarks_.insert(lowered(name)).second) return;
    std::string text =
        "task " + printable(task().id) + ": **" + printable(name) + "** is no label that is read";
    if (meant.empty()) {
      text += "; known are:";
      for (const Label& label : kLabels)
        text += (&label == kLabels ? " " : ", ") + std::string(label.name);
    } else {
      text += "; did you mean **" + std::string(meant) + "**?";
    }
    warn(ProblemKind::unknown_label, std::move(text));
  }

  // Opens or closes a code fence. As in CommonMark: it is closed by one that is at least as long,
  // and "```make``` must run" is code within a line.
  bool fence(std::string_view bare) {
    const char mark = fence_length_ > 0 ? fence_ : bare.empty() ? '\0' : bare.front();
    if (mark != '`' && mark != '~') return false;
    const std::size_t length = std::min(bare.find_first_not_of(mark), bare.size());
    const std::string_view info = bare.substr(length);
    if (fence_length_ > 0) {
      if (length < fence_length_ || !info.empty()) return false;
      fence_length_ = 0;
      return true;
    }
    if (length < 3 || (mark == '`' && info.find('`') != std::string_view::npos)) return false;
    fence_ = mark;
    fence_length_ = length;
    return true;
  }

  static bool rule(std::string_view bare) {
    return bare.size() >= 3 && bare.find_first_not_of('-') == std::string_view::npos;
  }

  // "### Task T-1: …" and "####Task T-1: …" would be lost without a word.
  void warn_of_lost_task(std::string_view text, std::size_t level) {
    if (level == 0 || level == std::string_view::npos) return;
    const std::string_view words = trimmed(text.substr(level));
    const std::size_t colon = words.find(':');
    if (!begins_with(words, "task") || words.size() < 6 || !is_blank(words[4]) ||
        colon == std::string_view::npos || !valid_id(trimmed(words.substr(4, colon - 4))))
      return;
    if (out_.warnings.size() < kMaxProblems)
      out_.warnings.push_back({ProblemKind::bad_heading,
                               number_,
                               "this is not read as a task; a task heading is `#### Task ID: "
                               "Title`: " +
                                   printable(text.substr(0, 80)),
                               {}});
  }

  bool heading(std::string_view text) {
    const std::size_t level = text.find_first_not_of('#');
    if (level != 4 || !is_blank(text[level])) warn_of_lost_task(text, level);
    if (level > 4 /* or npos */ || !is_blank(text[level])) return false;
    std::string_view words = trimmed(text.substr(level));
    while (words.ends_with('#')) words.remove_suffix(1);  // "## Overview ##"
    words = trimmed(words);
    close();
    section_ = Section::none;
    if (level == 1 && out_.plan.title.empty()) out_.plan.title = words;
    if (level == 2 && lowered(words) == "overview") section_ = Section::overview;
    if (level == 3) {
      phase_ = words;
      out_.plan.phases.emplace_back(words);
    }
    if (level == 4 && begins_with(words, "task") && (words.size() == 4 || !is_id_char(words[4])))
      begin_task(trimmed(words.substr(4)));
    return true;
  }
  static bool is_id_char(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

  void begin_task(std::string_view words) {
    const std::size_t colon = words.find(':');
    const std::string_view id = trimmed(words.substr(0, colon));
    if (colon == std::string_view::npos || id.empty())
      return error(ProblemKind::bad_heading,
                   "a task heading must read `#### Task ID: Title`, but this one reads: " +
                       printable(words.substr(0, 80)));
    if (!valid_id(id))
      error(ProblemKind::bad_id,
            "the task id \"" + printable(id.substr(0, 120)) +
                "\" cannot be used: letters, digits, `.`, `_` and `-`, no spaces, at most 100");
    if (out_.plan.tasks.size() == kMaxTasks) {
      if (!full_)
        error(ProblemKind::too_large, "a plan has at most " + std::to_string(kMaxTasks) + " tasks");
      full_ = true;
      return;
    }
    Task task;
    task.id = id;
    task.title = trimmed(words.substr(colon + 1));
    if (task.title.empty()) task.title = task.id;
    task.phase = phase_;
    task.line = number_;
    out_.plan.tasks.push_back(std::move(task));
    lines_.emplace_back();
    task_open_ = true;
    seen_.clear();
  }

  void add(std::string_view text) {
    if (section_ == Section::none) return;
    text_.append(text).push_back('\n');
  }
  void close() {
    flush();
    task_open_ = false;
  }

  // The text of a section is complete.
  void flush() {
    const std::string text = std::exchange(text_, {});
    const std::string_view words = trimmed(text);
    switch (std::exchange(section_, Section::none)) {
      case Section::none:
        break;
      case Section::overview:
        join(out_.plan.overview, words);
        break;
      case Section::work:
        join(task().work, words);
        break;
      case Section::environment:
        if (!says_none(words)) join(task().environment, words);
        break;
      case Section::criteria:
        criteria(text);
        break;
      case Section::blocked_by:
        if (!says_none(words)) references(text);
        break;
      case Section::reading:
        list(text, task().reading, &lines_.back().reading);
        break;
      case Section::files:
        list(text, task().files, nullptr);
        break;
    }
  }
  // References are read when all ids are known.
  void references(std::string_view text) {
    int line = first_;
    for (const std::string_view part : split(text, '\n'))
      lines_.back().references.emplace_back(part, line++);
  }
  static void join(std::string& to, std::string_view words) {
    if (words.empty()) return;
    if (!to.empty()) to.push_back('\n');
    to.append(words);
  }

  void criteria(std::string_view words) {
    auto& list = task().criteria;
    bool items = false;
    int number = first_ - 1;
    for (const std::string_view line : split(words, '\n')) {
      ++number;
      bool item = false;
      const std::string_view text = without_bullet(line, item);
      items |= item;
      if (text.empty()) continue;
      if (!item && items && !list.empty()) {
        list.back().append(" ").append(text);  // an item goes on
      } else if (!says_none(text)) {
        list.emplace_back(text);
        lines_.back().criteria.push_back(number);
      }
    }
  }

  void list(std::string_view words, std::vector<std::string>& to, std::vector<int>* lines) {
    int number = first_ - 1;
    std::unordered_set<std::string> seen(to.begin(), to.end());
    const auto take = [&](std::string_view item) {
      if (says_none(item)) return;
      std::string path = path_of_item(item);
      if (path.empty() || !seen.insert(path).second) return;
      to.push_back(std::move(path));
      if (lines != nullptr) lines->push_back(number);
    };
    for (const std::string_view line : split(words, '\n')) {
      ++number;
      bool item = false;
      const std::string_view text = without_bullet(line, item);
      if (text.empty()) continue;
      if (item) {
        // "- a.txt, b.txt" is two, "- a.txt: what changes, and why" is one.
        const std::size_t comma = text.find(',');
        const std::size_t remark = text.find_first_of(":(");
        if (comma == std::string_view::npos || (remark < comma)) {
          take(text);
          continue;
        }
      }
      for (const std::string_view part : split(text, ',')) take(part);
    }
  }

  Checked& out_;
  std::vector<Lines>& lines_;
  int number_ = 0, first_ = 0;  // the line at hand; the first one of the section
  Section section_ = Section::none;
  std::string text_, phase_;
  char fence_ = 0;
  std::size_t fence_length_ = 0;  // of the one that is open
  bool task_open_ = false, full_ = false;
  std::unordered_set<int> seen_;
  std::unordered_set<std::string> remarks_;  // unknown labels that were told
};

// The line of the first byte that no text has; 0: it is text.
int bad_line(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') ++line;
    if (byte == 0) return line;
    if (byte < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at, 4));
    if (length == 0) return line;
    at += length;
  }
  return 0;
}

}  // namespace

Checked read_plan(std::string_view text, const ReadingExists& exists) {
  Checked out;
  if (text.size() > kMaxPlanBytes) {
    out.errors.push_back({ProblemKind::too_large,
                          0,
                          "the plan has " + std::to_string(text.size()) + " bytes; the limit is " +
                              std::to_string(kMaxPlanBytes) + " are read",
                          {}});
    return out;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const int line = bad_line(text); line != 0) {
    out.errors.push_back({ProblemKind::not_text,
                          line,
                          "the plan is not text: it holds bytes that are not UTF-8",
                          {}});
    return out;
  }
  std::vector<Lines> lines;
  Reader reader(out, lines);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || is_blank(line.back()))) line.remove_suffix(1);
    reader.line(line, ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.end();
  read_references(out.plan, lines);
  check(out, lines, exists);
  return out;
}

}  // namespace capsule::plan
