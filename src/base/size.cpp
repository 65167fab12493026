#include "base/size.h"

namespace capsule {

std::string size_words(std::uint64_t bytes) {
  constexpr std::uint64_t kKilo = 1024, kMega = kKilo * 1024, kGiga = kMega * 1024;
  if (bytes >= kGiga) {
    const std::uint64_t tenths = bytes % kGiga * 10 / kGiga;
    return std::to_string(bytes / kGiga) + (tenths > 0 ? "." + std::to_string(tenths) : "") + " GB";
  }
  if (bytes >= kMega) return std::to_string(bytes / kMega) + " MB";
  if (bytes >= kKilo) return std::to_string(bytes / kKilo) + " KB";
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace capsule
