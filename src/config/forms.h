// Which texts are a value of each kind, and what they mean. Pure. Internal to config.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capsule::config {

bool has_control(std::string_view text);

// The number that is meant; -1: none.
std::int64_t parse_count(std::string_view text);
std::int64_t parse_tokens(std::string_view text);
std::int64_t parse_duration(std::string_view text);  // seconds
std::int64_t parse_size(std::string_view text);      // bytes
std::string size_text(std::int64_t bytes);           // as one would write it

bool is_amount(std::string_view text);
bool is_limit(std::string_view text);  // an amount, and not nothing
bool is_branch(std::string_view text);
bool is_inside(std::string_view path);  // relative, without ".."
bool is_agent(std::string_view text);
bool is_hours(std::string_view text);
bool is_variable_name(std::string_view name);
bool is_variable(std::string_view text);  // NAME=value
bool is_port(std::string_view text);
bool is_host(std::string_view text);                // with a port or without
std::string host_with_port(std::string_view host);  // in small letters; 443 where it has none
bool is_place(std::string_view text);

}  // namespace capsule::config
