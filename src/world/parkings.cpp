#include "world/parkings.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "json/text.h"

namespace capsule::world {
namespace {

using ParkingJson = nlohmann::json;
using workflow::SupplyNews;

constexpr std::size_t kMaxFileBytes = 8192;
constexpr std::size_t kMostFiles = 200;
constexpr std::size_t kWordsBytes = 300;
constexpr std::int64_t kFarthest = std::int64_t{33} * 24 * 3600;
constexpr std::string_view kParked = ".parked", kLifted = ".lifted";

std::string path_of(const std::string& folder, const std::string& provider,
                    std::string_view suffix) {
  return folder + "/" + provider + std::string(suffix);
}

std::vector<std::string> names_with(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return names;
  while (const dirent* entry = ::readdir(opened.get())) {
    std::string_view name = entry->d_name;
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    if (valid_id(name) && names.size() < kMostFiles) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

ParkingJson read_object(const std::string& path) {
  const auto text = read_file(path, kMaxFileBytes);
  return text ? ParkingJson::parse(*text, nullptr, false) : ParkingJson();
}

std::int64_t number_in(const ParkingJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
}

std::string line_in(const ParkingJson& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string()) return {};
  const auto text = found->get<std::string>();
  return printable(cut(std::string_view(text).substr(0, text.find('\n')), kWordsBytes));
}

std::optional<event::Fault> fault_named(const std::string& name) {
  for (int i = 0; i < event::kFaults; ++i)
    if (const auto fault = static_cast<event::Fault>(i);
        event::name_of(fault) == name && event::of_service(fault))
      return fault;
  return std::nullopt;
}

// What makes no sense is not there.
std::optional<Parking> parking_in(const std::string& folder, const std::string& provider,
                                  std::int64_t now) {
  const ParkingJson json = read_object(path_of(folder, provider, kParked));
  if (!json.is_object()) return std::nullopt;
  Parking parking;
  parking.provider = provider;
  parking.until = number_in(json, "until");
  parking.since = std::max<std::int64_t>(number_in(json, "since"), 0);
  const auto guessed = json.find("guessed");
  parking.guessed = guessed != json.end() && guessed->is_boolean() && guessed->get<bool>();
  parking.words = line_in(json, "words");
  const auto fault = fault_named(line_in(json, "fault"));
  if (!fault || parking.until < 0 || parking.until > now + kFarthest) return std::nullopt;
  if (parking.until != 0 && parking.until <= now) return std::nullopt;
  parking.fault = *fault;
  return parking;
}

SupplyNews news_of(const Parking& parking) {
  return {workflow::ParkedElsewhere{parking.provider, parking.until, parking.guessed, parking.fault,
                                    parking.words}};
}

}  // namespace

std::string parkings_folder(const std::function<const char*(const char*)>& variable) {
  // A relative path is invalid by the specification of XDG, and is to be ignored.
  if (const char* state = variable("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/capsule/providers";
  if (const char* home = variable("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/capsule/providers";
  return {};
}

std::vector<Parking> read_parkings(const std::string& folder, std::int64_t now) {
  std::vector<Parking> found;
  if (folder.empty()) return found;
  for (const std::string& provider : names_with(folder, kParked))
    if (auto parking = parking_in(folder, provider, now)) found.push_back(*std::move(parking));
  return found;
}

Result<void> leave_parking(const std::string& folder, const Parking& parking, std::int64_t now) {
  if (folder.empty()) return {};
  if (!valid_id(parking.provider))
    return fail(Reason::usage, "'" + printable(parking.provider) + "' is no name of a provider");
  if (const auto before = parking_in(folder, parking.provider, now))
    if (before->until == 0 || (parking.until != 0 && before->until >= parking.until)) return {};
  TRY_VOID(make_folders(folder));
  const std::string text = "{\"until\":" + std::to_string(parking.until) +
                           ",\"guessed\":" + (parking.guessed ? "true" : "false") +
                           ",\"fault\":" + json::quoted(event::name_of(parking.fault)) +
                           ",\"words\":" + json::quoted(cut(parking.words, kWordsBytes)) +
                           ",\"since\":" + std::to_string(now) + "}\n";
  return write_file(path_of(folder, parking.provider, kParked), text, 0600);
}

Result<void> lift_parking(const std::string& folder, const std::string& provider,
                          const std::string& by, std::int64_t now) {
  if (folder.empty()) return {};
  if (!valid_id(provider))
    return fail(Reason::usage, "'" + printable(provider) + "' is no name of a provider");
  TRY_VOID(make_folders(folder));
  const std::string parked = path_of(folder, provider, kParked);
  if (::unlink(parked.c_str()) != 0 && errno != ENOENT)
    return tl::unexpected(io_error("remove", parked, errno));
  // Whoever watches hears of a file that appears. Two in one second differ by the mark.
  return write_file(path_of(folder, provider, kLifted),
                    "{\"at\":" + std::to_string(now) + ",\"by\":" + json::quoted(by) +
                        ",\"mark\":" + json::quoted(random_hex(4)) + "}\n",
                    0600);
}

std::int64_t lifted_at(const std::string& folder, const std::string& provider) {
  if (folder.empty() || !valid_id(provider)) return 0;
  const ParkingJson json = read_object(path_of(folder, provider, kLifted));
  return json.is_object() ? std::max<std::int64_t>(number_in(json, "at"), 0) : 0;
}

ParkingWatch::ParkingWatch(process::Loop& loop, std::string folder,
                           std::function<std::int64_t()> now)
    : folder_(std::move(folder)), now_(std::move(now)), watch_(loop) {}

std::vector<workflow::Observation> ParkingWatch::standing(std::int64_t heard) {
  std::vector<workflow::Observation> news;
  for (Parking& parking : read_parkings(folder_, now_())) {
    news.emplace_back(news_of(parking));
    known_[parking.provider] = std::move(parking);
  }
  if (folder_.empty()) return news;
  for (const std::string& provider : names_with(folder_, kLifted)) {
    const ParkingJson json = read_object(path_of(folder_, provider, kLifted));
    lifted_[provider] = json.dump();
    // Whoever hears of a parking that it does not know passes it over.
    if (heard > 0 && json.is_object() && number_in(json, "at") >= heard &&
        !known_.contains(provider))
      news.emplace_back(SupplyNews{workflow::FreedElsewhere{provider, line_in(json, "by")}});
  }
  return news;
}

void ParkingWatch::follow(Tell tell) {
  if (!folder_.empty()) watch_.watch(folder_, [this, tell = std::move(tell)] { look(tell); });
}

void ParkingWatch::park(const workflow::Park& park) {
  Parking parking{park.provider, park.until, park.guessed, park.fault, park.words, now_()};
  // Others hear of it only where it can be written; this run goes by it all the same.
  if (leave_parking(folder_, parking, now_())) known_[park.provider] = std::move(parking);
}

void ParkingWatch::unpark(const std::string& provider) {
  known_.erase(provider);
  if (lift_parking(folder_, provider, "a person", now_()))
    lifted_[provider] = read_object(path_of(folder_, provider, kLifted)).dump();
}

void ParkingWatch::look(const Tell& tell) {
  for (const std::string& provider : names_with(folder_, kLifted)) {
    const ParkingJson json = read_object(path_of(folder_, provider, kLifted));
    if (!json.is_object() || std::exchange(lifted_[provider], json.dump()) == json.dump()) continue;
    known_.erase(provider);
    tell({workflow::FreedElsewhere{provider, line_in(json, "by")}});
  }
  for (Parking& parking : read_parkings(folder_, now_())) {
    const auto known = known_.find(parking.provider);
    if (known != known_.end() && known->second.until == parking.until) continue;
    tell(news_of(parking));
    known_[parking.provider] = std::move(parking);
  }
}

}  // namespace capsule::world
