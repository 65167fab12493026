// JUnit XML, by pugixml: it expands no entities but the five of XML, loads nothing, and parses
// without recursion.
#include <cstdlib>
#include <new>
#include <pugixml.hpp>

#include "gate/report.h"

namespace capsule::gate {
namespace {

// What the parsed tree may take beside two copies of the text. A real report needs a fraction of
// it; many thousands of empty elements would need far more than their text.
constexpr std::size_t kMaxTreeBytes = std::size_t{256} << 20;
constexpr std::size_t kSizeBytes = alignof(std::max_align_t);
thread_local std::size_t tree_bytes_left = 0;

// pugixml takes a null for "out of memory" and says so.
void* bounded_allocate(std::size_t size) {
  if (size > tree_bytes_left) return nullptr;
  auto* block = static_cast<char*>(std::malloc(size + kSizeBytes));
  if (block == nullptr) return nullptr;
  new (block) std::size_t(size);
  tree_bytes_left -= size;
  return block + kSizeBytes;
}

void bounded_free(void* memory) {
  char* block = static_cast<char*>(memory) - kSizeBytes;
  tree_bytes_left += *reinterpret_cast<std::size_t*>(block);
  std::free(block);
}

TestState state_of(const pugi::xml_node& test) {
  bool skipped = false;
  const std::string_view status = test.attribute("status").value();
  for (const pugi::xml_node child : test) {
    const std::string_view name = child.name();
    if (name == "failure" || name == "error") return TestState::failed;
    if (name != "skipped") continue;
    skipped = true;
    // CTest fails for a test whose program or files are missing, and calls it skipped here. A test
    // that skips itself says by which of its properties (SKIP_RETURN_CODE=…).
    const std::string_view why = child.attribute("message").value();
    if (status == "notrun" && !why.empty() && !why.starts_with("SKIP_")) return TestState::failed;
  }
  // GoogleTest and CTest say so of tests that are switched off.
  if (skipped || status == "notrun" || status == "disabled") return TestState::skipped;
  return TestState::passed;
}

void append_name(std::string& name, const pugi::xml_node& test) {
  std::string_view of = test.attribute("classname").value();
  if (of.empty()) of = test.attribute("file").value();
  name = of;
  const std::string_view own = test.attribute("name").value();
  if (of == own) return;  // CTest, and what cannot be loaded
  if (!name.empty() && !own.empty()) name += "::";
  name += own;
}

// In the order of the text, without recursion: the nesting is the writer's choice.
pugi::xml_node after(const pugi::xml_node& node, bool into) {
  if (into && node.first_child()) return node.first_child();
  for (pugi::xml_node up = node; up; up = up.parent())
    if (up.next_sibling()) return up.next_sibling();
  return {};
}

}  // namespace

Result<TestReport> read_junit(std::string_view xml) {
  if (xml.size() > kMaxReportBytes)
    return fail(Reason::damaged, "the report is larger than 128 MiB");
  static const bool bounded =
      (pugi::set_memory_management_functions(bounded_allocate, bounded_free), true);
  (void)bounded;
  tree_bytes_left = kMaxTreeBytes + 2 * xml.size();
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_escapes | pugi::parse_eol);
  if (!parsed)
    return fail(Reason::damaged, "the report is no XML: " + std::string(parsed.description()) +
                                     " at byte " + std::to_string(parsed.offset));
  ReportBuilder builder;
  std::string name;
  for (pugi::xml_node node = document.first_child(); node;) {
    const bool is_test = std::string_view(node.name()) == "testcase";
    if (is_test) {
      append_name(name, node);
      builder.add(name, state_of(node));
    }
    node = after(node, !is_test);
  }
  return builder.finish();
}

}  // namespace capsule::gate
