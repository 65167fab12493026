#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  capsule::cli::begin(argc, argv);
  if (const int code = capsule::cli::hand_over(argc, argv); code != 0) return code;
  if (argc == 1)
    if (const auto code = capsule::cli::dashboard_alone()) return *code;
  return capsule::cli::run_words(argc, argv);
}
