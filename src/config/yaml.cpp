#include "config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.h"

namespace capsule::config {
namespace {

// Builds the tree from the library's events. It leaves the library by throwing YamlError, which
// parse_yaml catches.
class Builder : public YAML::EventHandler {
 public:
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      refuse(mark, "a second document begins here",
             "keep one document a file, and indent its lines evenly");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark);
    add(leaf(YamlNode::Kind::null, mark, {}), anchor, {});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    count(mark, 1, value.size());
    add(leaf(YamlNode::Kind::scalar, mark, value), anchor, {0, 1, value.size()});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark, "an alias refers to itself");
    count(mark, found->second.nodes, found->second.bytes);
    if (open_.size() + found->second.depth > kMaxDepth) refuse_depth(mark);
    YamlNode copy = found->second.node;
    copy.line = mark.line + 1;
    add(std::move(copy), 0, Size(found->second));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    begin(YamlNode::Kind::list, mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    begin(YamlNode::Kind::map, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

 private:
  struct Size {  // of a tree
    std::size_t depth = 0;
    std::size_t nodes = 1;
    std::size_t bytes = 0;
  };
  struct Open : Size {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool name_next = false;  // a map awaits a key
  };
  struct Anchored : Size {
    YamlNode node;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string message,
                                  std::string hint = {}) {
    throw YamlError{mark.line + 1, std::move(message), std::move(hint)};
  }
  [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
    refuse(mark, "nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }
  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, "tags are not supported: " + printable(tag), "write the plain value");
  }
  static YamlNode leaf(YamlNode::Kind kind, const YAML::Mark& mark, std::string text) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.text = std::move(text);
    return node;
  }

  void count(const YAML::Mark& mark, std::size_t nodes = 1, std::size_t bytes = 0) {
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > kMaxNodes)
      refuse(mark, "more than " + std::to_string(kMaxNodes) + " values, with aliases expanded");
    if (bytes_ > kMaxFileBytes)
      refuse(mark, "more than " + std::to_string(kMaxFileBytes / 1024) +
                       " KiB of text, with aliases expanded");
  }

  void begin(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    check_tag(mark, tag);
    count(mark);
    if (open_.size() >= kMaxDepth) refuse_depth(mark);
    if (!open_.empty() && open_.back().name_next)
      refuse(mark, "a list or map cannot be a key", "give the key a name");
    Open open;
    open.node.kind = kind;
    open.node.line = mark.line + 1;
    open.node.flow = style == YAML::EmitterStyle::Flow;
    open.anchor = anchor;
    open.name_next = kind == YamlNode::Kind::map;
    open.depth = 1;
    open_.push_back(std::move(open));
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor, Size(done));
  }

  void add(YamlNode node, YAML::anchor_t anchor, Size size) {
    if (anchor != 0) anchors_[anchor] = Anchored{size, node};
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.depth = std::max(parent.depth, size.depth + 1);
    parent.nodes += size.nodes;
    parent.bytes += size.bytes;
    if (parent.name_next) {
      add_name(parent.node, std::move(node));
    } else {
      parent.node.items.push_back(std::move(node));
    }
    if (parent.node.kind == YamlNode::Kind::map) parent.name_next = !parent.name_next;
  }

  static void add_name(YamlNode& map, YamlNode name) {
    if (name.kind != YamlNode::Kind::scalar || name.text.empty())
      throw YamlError{name.line, "a key is missing before ':'"};
    for (const YamlNode::Name& other : map.names)
      if (other.text == name.text)
        throw YamlError{name.line,
                        "'" + printable(name.text) + "' is set twice; it was first set on line " +
                            std::to_string(other.line),
                        "keep one of them"};
    map.names.push_back({std::move(name.text), name.line});
  }

  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  int documents_ = 0;
};

// Text that may be shown to people and handed to a parser: UTF-8 without control characters.
void check_text(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) throw YamlError{line, "not UTF-8 text"};
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F)
      throw YamlError{line, "a control character (" + printable(text.substr(0, 1)) + ")",
                      "is this a binary file?"};
    if (byte == '\n') ++line;
    text.remove_prefix(length);
  }
}

}  // namespace

tl::expected<YamlNode, YamlError> parse_yaml(std::string_view text) {
  try {
    if (text.size() > kMaxFileBytes)
      throw YamlError{0, "larger than " + std::to_string(kMaxFileBytes / 1024) +
                             " KiB, the limit of this file"};
    check_text(text);
    // At the end of the input the library closes an open quote by itself when a line feed stands
    // there, and swallows what follows the quote. A comment after the last line makes it refuse.
    std::istringstream stream{std::string(text) + "\n#"};
    YAML::Parser parser(stream);
    Builder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (YamlError& error) {
    return tl::unexpected(std::move(error));
  } catch (const YAML::Exception& error) {
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    const int line = error.mark.is_null() ? 0 : std::min(error.mark.line, lines) + 1;
    return tl::unexpected(YamlError{line, "not valid YAML: " + error.msg,
                                    "indent with spaces, close every quote and bracket, and quote "
                                    "texts with special characters"});
  } catch (const std::exception& error) {
    return tl::unexpected(YamlError{0, std::string("cannot be read as YAML: ") + error.what()});
  }
}

}  // namespace capsule::config
