// The configuration, and its keys, for people and for programs. Pure.
#pragma once

#include <string>

#include "config/config.h"

namespace capsule::ui {

// Every value with where it came from.
std::string config_table(const config::Config& config);
std::string config_json(const config::Config& config);

// By which ways people are told that something waits, a line each.
std::string ways_text(const config::Config& config);

// Every key with its meaning and default.
std::string key_pages();
std::string keys_json();

}  // namespace capsule::ui
