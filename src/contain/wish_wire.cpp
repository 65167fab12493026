#include "contain/wish_wire.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace capsule::contain {
namespace {

// The members of each struct, once for both directions. A binding has to name all of them: what is
// added to a struct and not here does not compile.
template <class Visit>
void members(Visit& visit, Limits& limits) {
  auto& [memory, together, processes, cpu] = limits;
  visit(memory, together, processes, cpu);
}
template <class Visit>
void members(Visit& visit, Broker::Key& key) {
  auto& [variable, header, before, value] = key;
  visit(variable, header, before, value);
}
template <class Visit>
void members(Visit& visit, Broker& broker) {
  auto& [upstream, url_variable, keys, authorities] = broker;
  visit(upstream, url_variable, keys, authorities);
}
template <class Visit>
void members(Visit& visit, Mount& mount) {
  auto& [path, source, access] = mount;
  visit(path, source, access);
}
template <class Visit>
void members(Visit& visit, Wish& wish) {
  auto& [preset, role, net, allow, forward, broker, limits, set, missing, namespaces_found, folder,
         start, home, search, read, write, scratch, env, mounts, private_home, layer, cover,
         guarded] = wish;
  visit(preset, role, net, allow, forward, broker, limits, set, missing, namespaces_found, folder,
        start, home, search, read, write, scratch, env, mounts, private_home, layer, cover,
        guarded);
}
template <class Visit>
void members(Visit& visit, Report& report) {
  auto& [preset, role, net, broker, namespaces, own_network, own_group, landlock, seccomp, gaps] =
      report;
  visit(preset, role, net, broker, namespaces, own_network, own_group, landlock, seccomp, gaps);
}
template <class Visit>
void members(Visit& visit, Refusals::Host& refused) {
  auto& [host, count, leads_to, allowed_by] = refused;
  visit(host, count, leads_to, allowed_by);
}
template <class Visit>
void members(Visit& visit, Refusals& refusals) {
  auto& [hosts, others] = refusals;
  visit(hosts, others);
}
template <class Visit>
void members(Visit& visit, Excess& excess) {
  auto& [of, limit] = excess;
  visit(of, limit);
}
template <class Visit>
void members(Visit& visit, Error& error) {
  auto& [reason, message, hint] = error;
  visit(reason, message, hint);
}

// The last value of each enum.
constexpr Preset last_of(Preset) { return Preset::strict; }
constexpr Role last_of(Role) { return Role::gate; }
constexpr Net last_of(Net) { return Net::off; }
constexpr Access last_of(Access) { return Access::memory; }
constexpr Missing last_of(Missing) { return Missing::weaker; }
constexpr Gap last_of(Gap) { return Gap::git_settings; }
constexpr Excess::Of last_of(Excess::Of) { return Excess::Of::processes; }
constexpr Reason last_of(Reason) { return Reason::interrupted; }

template <class T>
concept Number = std::is_integral_v<T>;
template <class T>
concept Choice = std::is_enum_v<T>;

class BytesOut {
 public:
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string bytes = {};

 private:
  void number(std::uint64_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(Number auto value) { number(static_cast<std::uint64_t>(value)); }
  void put(Choice auto value) { number(static_cast<std::uint64_t>(value)); }
  void put(std::string& text) {
    number(text.size());
    bytes += text;
  }
  template <class T>
    requires std::is_class_v<T>
  void put(T& value) {
    members(*this, value);
  }
  template <class T>
  void put(std::optional<T>& value) {
    number(value ? 1 : 0);
    if (value) put(*value);
  }
  template <class T>
  void put(std::vector<T>& list) {
    number(list.size());
    for (T& one : list) put(one);
  }
};

class BytesIn {
 public:
  explicit BytesIn(std::string_view bytes) : left_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  // Everything was there, and nothing else.
  bool whole() const { return good_ && left_.empty(); }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (left_.size() < sizeof value) {
      good_ = false;
      left_ = {};
      return 0;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  template <Number T>
  void get(T& value) {
    const std::uint64_t read = number();
    value = static_cast<T>(read);
    good_ &= static_cast<std::uint64_t>(value) == read;
  }
  template <Choice T>
  void get(T& value) {
    const std::uint64_t read = number();
    good_ &= read <= static_cast<std::uint64_t>(last_of(T{}));
    if (good_) value = static_cast<T>(read);
  }
  void get(std::string& text) {
    const std::uint64_t size = number();
    good_ &= size <= left_.size();
    if (!good_) return;
    text = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  template <class T>
    requires std::is_class_v<T>
  void get(T& value) {
    members(*this, value);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    T one{};
    if (there) get(one);
    value = there ? std::optional<T>(std::move(one)) : std::nullopt;
  }
  template <class T>
  void get(std::vector<T>& list) {
    // Each has at least its own length: more of them than bytes there cannot be.
    const std::uint64_t size = number();
    good_ &= size <= left_.size();
    list.clear();
    for (std::uint64_t i = 0; i < size && good_; ++i) get(list.emplace_back());
  }

  std::string_view left_;
  bool good_ = true;
};

template <class T>
std::string bytes_for(T value) {
  BytesOut out;
  members(out, value);
  return std::move(out.bytes);
}

template <class T>
Result<T> value_in(std::string_view bytes, const char* what) {
  T value{};
  BytesIn in(bytes);
  members(in, value);
  if (!in.whole()) return fail(Reason::damaged, std::string(what) + " cannot be read");
  return value;
}

}  // namespace

std::string bytes_of(const Wish& wish) { return bytes_for(wish); }
std::string bytes_of(const Report& report) { return bytes_for(report); }
std::string bytes_of(const Refusals& refusals) { return bytes_for(refusals); }
std::string bytes_of(const Excess& excess) { return bytes_for(excess); }
std::string bytes_of(const Error& error) { return bytes_for(error); }

Result<Wish> read_wish(std::string_view bytes) {
  return value_in<Wish>(bytes, "what is wished of containment");
}
Result<Report> read_report(std::string_view bytes) {
  return value_in<Report>(bytes, "the report on containment");
}
Result<Refusals> read_refusals(std::string_view bytes) {
  return value_in<Refusals>(bytes, "the list of refused hosts");
}
Result<Excess> read_excess(std::string_view bytes) {
  return value_in<Excess>(bytes, "what was used too much");
}
Result<Error> read_error(std::string_view bytes) {
  return value_in<Error>(bytes, "the failure of containment");
}

}  // namespace capsule::contain
