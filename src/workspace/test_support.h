// Trees in a real repository, for the tests of this folder.
#pragma once

#include <memory>

#include "git/test_support.h"
#include "workspace/trees.h"

namespace capsule::workspace {

class TreesFixture : public git::GitTest {
 protected:
  std::unique_ptr<Trees> trees(const std::string& run = "") {
    return std::make_unique<Trees>(open(), run.empty() ? run_ : run, settings_);
  }
  static workflow::StartAgent agent(const std::string& tree, const std::string& role,
                                    workflow::Settle settle) {
    workflow::StartAgent start;
    start.tree = tree;
    start.role = role;
    start.settle = settle;
    return start;
  }
  static workflow::StartAgent writer(const std::string& tree) {
    return agent(tree, "developer", workflow::Settle::keep);
  }
  static workflow::StartAgent reader(const std::string& tree) {
    return agent(tree, "critic", workflow::Settle::take_back);
  }
  static workflow::Keep keeping(const std::string& tree, const std::string& label) {
    workflow::Keep command;
    command.tree = tree;
    command.label = label;
    return command;
  }
  static workflow::TakeBack taking_back(const std::string& tree, const std::string& label,
                                        const std::string& to = "") {
    workflow::TakeBack command;
    command.tree = tree;
    command.label = label;
    command.to = to;
    return command;
  }
  std::string main_file(const std::string& name) { return git(project_, {"show", "main:" + name}); }

  const std::string run_ = "20260101-000000-abc123";
  TreeSettings settings_{.exclude = {"*.tmp"}, .advice = Advice::plan};
};

// The message of an error that must be there.
template <class T>
std::string message_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? "" : result.error().message + "\n" + result.error().hint;
}

}  // namespace capsule::workspace
