// A home and a project with their files, for tests of layers.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace capsule::config {

class ConfigLayers : public ::testing::Test {
 protected:
  ConfigLayers() {
    std::string name = ::testing::TempDir() + "config.XXXXXX";
    dir_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(project() + "/.capsule");
    std::filesystem::create_directories(dir_ + "/home/.config/capsule");
    variables_["HOME"] = dir_ + "/home";
  }
  ~ConfigLayers() override { std::filesystem::remove_all(dir_); }

  std::string project() const { return dir_ + "/project"; }
  std::string project_file() const { return project() + "/.capsule/config.yaml"; }
  std::string user_file() const { return dir_ + "/home/.config/capsule/config.yaml"; }
  static void write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  Loaded all() {
    Sources sources;
    sources.project_dir = project();
    sources.variable = [this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
    sources.flags = flags_;
    return load_all(sources);
  }
  Config good() {
    Loaded loaded = all();
    for (const Problem& problem : loaded.problems)
      ADD_FAILURE() << problem.where << ": " << problem.message;
    return loaded.config;
  }
  // "LINE: message (hint)" of every problem in the project's file.
  std::vector<std::string> problems(std::string_view text) {
    write(project_file(), text);
    std::vector<std::string> result;
    for (const Problem& problem : all().problems) {
      std::string line = problem.where;
      if (line.starts_with(project_file())) line = line.substr(project_file().size());
      result.push_back(line + ": " + problem.message + " (" + problem.hint + ")");
    }
    return result;
  }

  std::string dir_;
  std::map<std::string, std::string> variables_;
  std::vector<Flag> flags_;
};

}  // namespace capsule::config
