#include "ui/log_text.h"

#include "base/text.h"

namespace capsule::ui {
namespace {

constexpr std::size_t kLongestHeldLine = 64 * 1024;

std::string harmless_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return printable(replace_all(line, "\t", "    "));
}

}  // namespace

Result<void> LogPrinter::file(const std::string& name) {
  if (name == current_) return {};
  TRY_VOID(flush());
  const std::string line = (current_.empty() ? "" : "\n") + std::string("==> ") + name + " <==\n";
  current_ = name;
  return write_(line);
}

Result<void> LogPrinter::bytes(std::string_view text) {
  at_line_start_ = text.empty() ? at_line_start_ : text.back() == '\n';
  if (!terminal_) return write_(text);
  held_ += text;
  std::string out;
  std::size_t from = 0;
  for (std::size_t end; (end = held_.find('\n', from)) != held_.npos; from = end + 1)
    out += harmless_line(std::string_view(held_).substr(from, end - from)) + "\n";
  held_.erase(0, from);
  if (held_.size() > kLongestHeldLine) out += harmless_line(held_), held_.clear();
  return write_(out);
}

Result<void> LogPrinter::flush() {
  std::string out = harmless_line(held_);
  held_.clear();
  if (!at_line_start_) out += "\n";
  at_line_start_ = true;
  return write_(out);
}

}  // namespace capsule::ui
