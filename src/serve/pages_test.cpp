#include "serve/pages.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "assets/embedded.h"
#include "base/clock.h"
#include "base/files.h"

namespace capsule::serve {
namespace {

std::string type_in(const http::Response& response) {
  for (const http::Header& header : response.headers)
    if (header.name == "Content-Type") return header.value;
  return "";
}

TEST(Pages, AreInTheProgram) {
  EXPECT_EQ(page("/", "").status, 200);
  EXPECT_EQ(type_in(page("/", "")), "text/html; charset=utf-8");
  EXPECT_EQ(type_in(page("/app.js", "")), "text/javascript; charset=utf-8");
  EXPECT_EQ(type_in(page("/style.css", "")), "text/css; charset=utf-8");
}

TEST(Pages, ThatAreNoneAreNotFound) {
  for (const char* path : {"/nothing", "/../prompts/execute.md", "//etc/passwd", "/.", "/a/b",
                           "/%2e%2e/x", "/app.js/", "/web/app.js"})
    EXPECT_EQ(page(path, "").status, 404) << path;
}

TEST(Pages, CanComeFromAFolderWithoutALinkOutOfIt) {
  const std::string folder = ::testing::TempDir() + "capsule-pages-" + random_hex(6);
  ASSERT_TRUE(make_folders(folder));
  ASSERT_TRUE(write_file(folder + "/app.js", "mine"));
  std::filesystem::create_symlink("/etc/passwd", folder + "/passwd");
  EXPECT_EQ(page("/app.js", folder).body, "mine");
  EXPECT_EQ(page("/passwd", folder).status, 404);
  EXPECT_EQ(page("/style.css", folder).status, 404);
  std::filesystem::remove_all(folder);
}

// No third party: neither an address nor a way to fetch one.
TEST(Pages, NameNoOtherServer) {
  std::size_t bytes = 0;
  for (const assets::Embedded& file : assets::embedded_below("web")) {
    bytes += file.bytes.size();
    for (std::size_t at = 0; (at = file.bytes.find("://", at)) != std::string_view::npos; ++at)
      EXPECT_EQ(file.bytes.substr(at, 13), "://www.w3.org")
          << file.name << ": a name, not asked for";
    for (const char* sink : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                             "eval(", "new Function", "setAttribute(\"style\"", "srcdoc"})
      EXPECT_EQ(file.bytes.find(sink), std::string_view::npos) << file.name << " has " << sink;
  }
  EXPECT_GT(bytes, 10'000U);
  EXPECT_LE(bytes, 100U * 1024);
}

}  // namespace
}  // namespace capsule::serve
