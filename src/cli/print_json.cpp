#include "cli/print_json.h"

#include "base/print.h"

namespace capsule::cli {

void print_json(const json::Value& value) { print(value.compact() + "\n"); }

}  // namespace capsule::cli
