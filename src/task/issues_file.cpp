#include "task/issues_file.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/text.h"
#include "task/bead_json.h"

namespace capsule::task {
namespace {

constexpr std::size_t kMaxNumber = 1'000'000'000'000;  // larger ones are not ours

std::string_view without_mark(std::string_view text) { return text.substr(text_start(text)); }

}  // namespace

IssuesFile IssuesFile::parse(std::string_view text) {
  IssuesFile file;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == text.npos ? text.size() : feed + 1);
    std::string end = feed == std::string_view::npos ? "" : "\n";
    if (!end.empty() && line.ends_with('\r')) {
      line.remove_suffix(1);
      end = "\r\n";
    }
    Line parsed{std::string(line), std::move(end), std::nullopt};
    const std::string_view object = trimmed(number == 1 ? without_mark(line) : line);
    if (!object.empty()) {
      if (auto bead = bead_from_json(object)) {
        file.last_[bead->id] = file.lines_.size();
        parsed.bead = std::move(*bead);
      } else {
        file.damage_.push_back({number, bead.error().message});
      }
    }
    file.lines_.push_back(std::move(parsed));
  }
  return file;
}

engine::Bead IssuesFile::resolved(const engine::Bead& bead) const {
  engine::Bead result = bead;
  for (engine::BeadDependency& dependency : result.dependencies) {
    if (const engine::Bead* other = find(dependency.id)) {
      dependency.title = other->title;
      dependency.status = other->status;
    }
  }
  return result;
}

std::string IssuesFile::text() const {
  std::string result;
  for (const Line& line : lines_) {
    result += line.text;
    result += line.end;
  }
  return result;
}

std::vector<const engine::Bead*> IssuesFile::beads() const {
  std::vector<const engine::Bead*> result;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].bead && last_.at(lines_[i].bead->id) == i) result.push_back(&*lines_[i].bead);
  return result;
}

const engine::Bead* IssuesFile::find(std::string_view id) const {
  const auto found = last_.find(id);
  return found == last_.end() ? nullptr : &*lines_[found->second].bead;
}

std::string_view IssuesFile::object(std::string_view id) const {
  const auto found = last_.find(id);
  CHECK(found != last_.end());
  const std::string& text = lines_[found->second].text;
  return trimmed(found->second == 0 ? without_mark(text) : text);
}

Result<void> IssuesFile::put(std::string_view object) {
  object = trimmed(object);
  if (object.find('\n') != object.npos) return fail(Reason::damaged, "more than one line");
  auto bead = TRY(bead_from_json(object));
  const auto found = last_.find(bead.id);
  if (found != last_.end()) {
    Line& line = lines_[found->second];
    const bool marked = found->second == 0 && line.text.starts_with(kByteOrderMark);
    line.text = std::string(marked ? kByteOrderMark : "") + std::string(object);
    line.bead = std::move(bead);
  } else {
    const std::string end = !lines_.empty() && lines_.front().end == "\r\n" ? "\r\n" : "\n";
    if (!lines_.empty() && lines_.back().end.empty()) lines_.back().end = end;
    last_[bead.id] = lines_.size();
    lines_.push_back({std::string(object), end, std::move(bead)});
  }
  return {};
}

std::size_t IssuesFile::highest_number(std::string_view stem) const {
  std::size_t highest = 0;
  const auto note = [&](std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && number < kMaxNumber &&
        (end == text.data() + text.size() || *end == '.' || *end == '"'))
      highest = std::max(highest, number);
  };
  for (const auto& [id, line] : last_)
    if (id.starts_with(stem)) note(std::string_view(id).substr(stem.size()));
  for (const Damage& damage : damage_) {
    const std::string_view text = lines_[damage.line - 1].text;
    for (std::size_t at = text.find(stem); at != text.npos; at = text.find(stem, at + 1))
      note(text.substr(at + stem.size()));
  }
  return highest;
}

std::string IssuesFile::common_prefix() const {
  std::string common;
  for (const auto& [id, line] : last_) {
    const std::size_t dash = id.rfind('-');
    if (dash == id.npos || dash == 0) return {};
    const std::string prefix = id.substr(0, dash);
    if (!common.empty() && prefix != common) return {};
    common = prefix;
  }
  return common;
}

}  // namespace capsule::task
