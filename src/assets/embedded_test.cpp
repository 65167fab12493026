#include "assets/embedded.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/files.h"

namespace capsule::assets {
namespace {

namespace fs = std::filesystem;

struct OnDisk {
  std::string bytes;
  unsigned mode;
  bool operator==(const OnDisk&) const = default;
};
using Files = std::map<std::string, OnDisk>;

unsigned mode_of(const fs::path& path) {
  const bool program = (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
  return program ? 0755 : 0644;
}

// By their names below `root`.
Files files_in(const fs::path& root, const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(root).string()] = {
          read_file(entry.path().string()).value(), mode_of(entry.path())};
  return files;
}

TEST(Embedded, EveryFileOfTheSourceTreeIsThereByteForByteWithItsMode) {
  Files wanted;
  for (const char* folder : {"prompts", "templates", "web", "workflows"})
    wanted.merge(files_in(CAPSULE_SOURCE_DIR, folder));
  for (const Embedded& file : embedded_files()) {
    const auto found = wanted.find(std::string(file.name));
    ASSERT_NE(found, wanted.end()) << file.name;
    EXPECT_EQ(found->second, (OnDisk{std::string(file.bytes), file.mode})) << file.name;
    wanted.erase(found);
  }
  for (const auto& [name, file] : wanted) ADD_FAILURE() << name << " is not embedded";
}

TEST(Embedded, AFileIsFoundByItsWholeName) {
  ASSERT_NE(find_embedded("prompts/execute.md"), nullptr);
  EXPECT_TRUE(find_embedded("prompts/execute.md")->bytes.starts_with("# Execute Phase"));
  for (const char* name : {"", "prompts", "prompts/", "prompts/execute", "prompts/execute.md/",
                           "prompts/../prompts/execute.md", "zzz"})
    EXPECT_EQ(find_embedded(name), nullptr) << name;
}

TEST(Embedded, AFolderEndsWhereItsNameDoes) {
  EXPECT_EQ(embedded_below("workflows").size(), 3U);
  EXPECT_TRUE(embedded_below("templates/demo").empty());
  EXPECT_TRUE(embedded_below("workflows/pipeline.yaml").empty());
  EXPECT_TRUE(embedded_below("zzz").empty());
}

TEST(Embedded, AFolderIsWrittenAsItIsInTheSourceTree) {
  std::string target = (fs::temp_directory_path() / "embedded-XXXXXX").string();
  ASSERT_NE(::mkdtemp(target.data()), nullptr);
  ASSERT_TRUE(write_embedded("templates/demo-delivery", target + "/x/templates/demo-delivery"));
  const Files written = files_in(target + "/x", "templates/demo-delivery");
  EXPECT_EQ(written, files_in(CAPSULE_SOURCE_DIR, "templates/demo-delivery"));
  fs::remove_all(target);
}

}  // namespace
}  // namespace capsule::assets
