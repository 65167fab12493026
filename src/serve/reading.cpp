#include "serve/reading.h"

#include "base/text.h"
#include "git/command.h"
#include "json/text.h"

namespace capsule::serve {

Result<std::string> diff_json(const git::Repository& repository, const std::string& from,
                              const std::string& to) {
  const std::string text =
      TRY(git::tell(repository, {.args = {"diff", "--no-ext-diff", "--no-textconv", "--no-color",
                                          "--find-renames", "--end-of-options", from, to, "--"},
                                 .most = kMaxDiffBytes + 1}));
  const std::string_view shown = cut(text, kMaxDiffBytes);
  return std::string("{") + (shown.size() < text.size() ? "\"truncated\":true," : "") +
         "\"text\":" + json::quoted(shown) + "}";
}

}  // namespace capsule::serve
