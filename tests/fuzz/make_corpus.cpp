// make_corpus DIALECT FOLDER: writes the input of every case of the dialect as a file, for a fuzzer
// to start from.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/cases/cases.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_corpus DIALECT FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[2];
  std::filesystem::create_directories(folder);
  for (const capsule::test::Case& row : capsule::test::load_cases(argv[1])) {
    std::ofstream file(folder / row.id, std::ios::binary);
    file << row.input;
    if (!file.flush()) return 1;
  }
  return 0;
}
