#include "contain/net/dns.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kMaxRecords = 64;
constexpr int kMaxAliases = 8;
constexpr std::uint16_t kInternet = 1;
constexpr std::uint16_t kAlias = 5;

void put16(std::string& packet, unsigned value) {
  packet += static_cast<char>(value >> 8);
  packet += static_cast<char>(value & 0xFF);
}

// Reads on from a place in the packet. What is not there makes it broken, and all that follows 0.
class Reader {
 public:
  explicit Reader(std::string_view packet, std::size_t at = 0) : packet_(packet), at_(at) {}

  unsigned byte() {
    if (at_ >= packet_.size()) broken_ = true;
    return broken_ ? 0 : static_cast<unsigned char>(packet_[at_++]);
  }
  std::uint16_t two() {
    const unsigned high = byte();
    return static_cast<std::uint16_t>(high << 8 | byte());
  }
  std::string_view bytes(std::size_t count) {
    if (count > packet_.size() - at_) broken_ = true;
    if (broken_) return {};
    at_ += count;
    return packet_.substr(at_ - count, count);
  }
  // In small letters. A pointer leads to what stands before the name, so no chain of them has an
  // end that was a beginning.
  std::string name() {
    std::string text;
    std::size_t start = at_;
    std::optional<std::size_t> after;
    for (unsigned length = byte(); length != 0 && !broken_; length = byte()) {
      if (length >= 0xC0) {
        const std::size_t to = (length & 0x3FU) << 8 | byte();
        if (!after) after = at_;
        if (to >= start) broken_ = true;
        at_ = start = to;
        continue;
      }
      if (length >= 0x40 || text.size() + length + 1 > kMaxNameBytes) broken_ = true;
      const std::string_view label = bytes(length);
      // A dot in a label would make another name of it.
      if (label.find('.') != label.npos) broken_ = true;
      text += (text.empty() ? "" : ".") + lowered(label);
    }
    if (after) at_ = *after;
    return broken_ ? std::string() : text;
  }
  std::size_t at() const { return at_; }
  bool broken() const { return broken_; }

 private:
  std::string_view packet_;
  std::size_t at_;
  bool broken_ = false;
};

struct Record {
  std::string owner;
  unsigned type = 0;
  std::string alias = {};  // of type kAlias
  std::string_view data = {};
};

Record read_record(Reader& reader, std::string_view packet) {
  Record record{reader.name()};
  record.type = reader.two();
  const bool internet = reader.two() == kInternet;
  reader.bytes(4);  // how long it holds
  const std::size_t size = reader.two();
  const std::size_t at = reader.at();
  record.data = reader.bytes(size);
  if (!internet) record.type = 0;
  if (record.type == kAlias && !reader.broken()) record.alias = Reader(packet, at).name();
  return record;
}

// The name that the aliases lead to. They may stand in any order.
std::string last_name(std::string name, const std::vector<Record>& records) {
  for (int count = 0; count < kMaxAliases; ++count) {
    const auto next = std::find_if(records.begin(), records.end(), [&](const Record& one) {
      return one.type == kAlias && one.owner == name && !one.alias.empty();
    });
    if (next == records.end()) break;
    name = next->alias;
  }
  return name;
}

Answer found_in(const Question& question, const std::vector<Record>& records) {
  Answer answer{Answer::Kind::addresses};
  const std::string name = last_name(question.name, records);
  const bool six = question.type == RecordType::aaaa;
  for (const Record& one : records) {
    if (one.owner != name || one.type != static_cast<unsigned>(question.type)) continue;
    if (one.data.size() != (six ? 16U : 4U) || answer.addresses.size() == kMaxAddresses) continue;
    Address address{.six = six};
    std::copy(one.data.begin(), one.data.end(), address.bytes.begin());
    answer.addresses.push_back(address);
  }
  return answer;
}

}  // namespace

std::string packet_of(const Question& question) {
  std::string packet;
  put16(packet, question.id);
  put16(packet, 0x0100);  // ask on for us
  put16(packet, 1);
  for (int count = 0; count < 3; ++count) put16(packet, 0);
  for (const std::string_view label : split(question.name, '.')) {
    packet += static_cast<char>(label.size());
    packet += label;
  }
  packet += '\0';
  put16(packet, static_cast<unsigned>(question.type));
  put16(packet, kInternet);
  return packet;
}

Answer answer_to(const Question& question, std::string_view packet) {
  Reader reader(packet);
  const unsigned id = reader.two();
  const unsigned flags = reader.two();
  const unsigned questions = reader.two();
  const unsigned answers = reader.two();
  reader.bytes(kHeaderBytes - 8);
  const bool is_answer = (flags & 0x8000) != 0 && (flags & 0x7800) == 0;
  if (reader.broken() || !is_answer || id != question.id || questions != 1) return {};
  const std::string name = reader.name();
  const unsigned type = reader.two();
  const unsigned kind = reader.two();
  if (reader.broken() || name != question.name || kind != kInternet ||
      type != static_cast<unsigned>(question.type))
    return {};
  if ((flags & 0x0200) != 0) return {Answer::Kind::truncated};
  const unsigned code = flags & 0x000F;
  if (code == 3) return {Answer::Kind::no_such_name};
  if (code != 0) return {Answer::Kind::failed};
  std::vector<Record> records;
  for (unsigned count = 0; count < std::min<std::size_t>(answers, kMaxRecords); ++count) {
    records.push_back(read_record(reader, packet));
    if (reader.broken()) return {Answer::Kind::failed};
  }
  return found_in(question, records);
}

}  // namespace capsule::contain
