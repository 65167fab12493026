#include "ui/log_text.h"

#include <utility>

#include "base/text.h"

namespace capsule::ui {
namespace {

constexpr std::size_t kLongestHeldLine = 64 * 1024;
// A client may print some lines before its first event.
constexpr int kLinesBeforeEvents = 50;

}  // namespace

Result<void> LogPrinter::heading(const std::string& name) {
  if (name == current_) return {};
  TRY_VOID(end_line());
  const std::string line = (current_.empty() ? "" : "\n") + std::string("==> ") + name + " <==\n";
  current_ = name;
  return write_(line);
}

Result<void> LogPrinter::section(const std::string& name, std::string_view text) {
  TRY_VOID(heading(name));
  return write_(text);
}

Result<void> LogPrinter::bytes(const std::string& name, std::string_view text) {
  // A file that is left behind says all it has, unless it may go on.
  if (const std::string before = std::exchange(newest_, name); before != name && !look_.follow)
    TRY_VOID(release(before));
  if (look_.raw || name.ends_with(".stderr")) return as_it_is(name, text);
  File& file = files_[name];
  if (file.transcript) return readable(name, file.transcript->feed(text));
  if (file.is_text) return as_it_is(name, text);
  file.held += text;
  return of_unknown(name, file);
}

Result<void> LogPrinter::of_unknown(const std::string& name, File& file) {
  for (std::size_t end; (end = file.held.find('\n')) != file.held.npos;) {
    const dialect::Output output = dialect::output_of(std::string_view(file.held).substr(0, end));
    if (output != dialect::Output::text) {
      file.transcript.emplace(output, look_.style);
      return readable(name, file.transcript->feed(std::exchange(file.held, {})));
    }
    TRY_VOID(as_it_is(name, std::string_view(file.held).substr(0, end + 1)));
    file.held.erase(0, end + 1);
    if (++file.lines == kLinesBeforeEvents) break;
  }
  // A line that goes on for ever is shown as it comes.
  file.is_text = file.lines == kLinesBeforeEvents || file.held.size() > kLongestHeldLine;
  if (!file.is_text) return {};
  return as_it_is(name, std::exchange(file.held, {}));
}

Result<void> LogPrinter::readable(const std::string& name, const std::string& text) {
  if (text.empty()) return {};
  TRY_VOID(heading(name));
  return write_(text);
}

Result<void> LogPrinter::as_it_is(const std::string& name, std::string_view text) {
  if (text.empty()) return {};
  TRY_VOID(heading(name));
  at_line_start_ = text.back() == '\n';
  if (!look_.terminal) return write_(text);
  held_ += text;
  std::string out;
  std::size_t from = 0;
  for (std::size_t end; (end = held_.find('\n', from)) != held_.npos; from = end + 1)
    out += harmless_line(std::string_view(held_).substr(from, end - from)) + "\n";
  held_.erase(0, from);
  if (held_.size() > kLongestHeldLine) out += harmless_line(held_), held_.clear();
  return write_(out);
}

Result<void> LogPrinter::end_line() {
  std::string out = harmless_line(held_);
  held_.clear();
  if (!at_line_start_) out += "\n";
  at_line_start_ = true;
  return write_(out);
}

Result<void> LogPrinter::release(const std::string& name) {
  const auto found = files_.find(name);
  if (found == files_.end()) return {};
  File& file = found->second;
  if (file.transcript) return readable(name, file.transcript->flush());
  return as_it_is(name, std::exchange(file.held, {}));
}

Result<void> LogPrinter::flush() {
  for (const auto& [name, file] : files_) TRY_VOID(release(name));
  return end_line();
}

}  // namespace capsule::ui
