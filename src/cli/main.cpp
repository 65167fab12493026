#include "cli/command.h"

int main(int argc, char** argv) {
  return capsule::cli::run_program({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
}
