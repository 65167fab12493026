#include "assets/embedded.h"

#include <algorithm>

#include "base/files.h"

namespace capsule::assets {

const Embedded* find_embedded(std::string_view name) {
  const std::span<const Embedded> files = embedded_files();
  const auto found = std::ranges::lower_bound(files, name, {}, &Embedded::name);
  return found != files.end() && found->name == name ? &*found : nullptr;
}

std::span<const Embedded> embedded_below(std::string_view folder) {
  const std::string start = std::string(folder) + "/";
  const std::span<const Embedded> files = embedded_files();
  const auto first = std::ranges::lower_bound(files, std::string_view(start), {}, &Embedded::name);
  const auto last = std::find_if_not(
      first, files.end(), [&](const Embedded& file) { return file.name.starts_with(start); });
  return {first, last};
}

Result<void> write_embedded(std::string_view folder, const std::string& target) {
  for (const Embedded& file : embedded_below(folder)) {
    const std::string path = target + std::string(file.name.substr(folder.size()));
    TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
    TRY_VOID(write_file(path, file.bytes, file.mode));
  }
  return {};
}

}  // namespace capsule::assets
