// One file as a list of checked values. Internal to config.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "config/yaml.h"

namespace capsule::config {

// The bytes of a file; nullopt when there is none.
Result<std::optional<std::string>> read_if_there(const std::string& path);

// Walks the tree along the table. Unknown keys, names and wrong values go to `problems`.
void read_tree(const YamlNode& root, const std::string& file, Layer layer,
               std::vector<Entry>& entries, std::vector<Problem>& problems,
               const ProjectPhases& phases = {});

// read_if_there, parse_yaml and read_tree: a file that is missing adds nothing.
void read_layer(const std::string& file, Layer layer, std::vector<Entry>& entries,
                std::vector<Problem>& problems, const ProjectPhases& phases = {});

}  // namespace capsule::config
