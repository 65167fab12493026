// The rows of ./bench. A file of this folder measures something and adds a row for it:
//
//   const Rows kContract([] {
//     add_ratio({"contract: …", realistic_output, 3.0, [](std::string_view text) { … }});
//   });
//
// Every row is one Google Benchmark. Ratios come from turns: the yardstick, then the work, over the
// same buffer in the same run, so that a noisy machine disturbs both; ratios and rates count time
// on the processor, comparisons time on the wall. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace capsule::bench {

// A page-aligned buffer, since others are read at a fraction of the speed.
class Buffer {
 public:
  explicit Buffer(std::string_view text);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();
  std::string_view view() const { return {data_, size_}; }

 private:
  char* data_;
  std::size_t size_;
};

using Work = std::function<void(std::string_view)>;
using Make = std::function<std::string()>;  // makes the text; called when the row is measured

// How long `work` takes against a memchr loop over the newlines of the same text.
struct Ratio {
  std::string what;
  Make text;
  double at_most;
  Work work;
};
void add_ratio(Ratio row);

// How many MB (10^6 bytes) a second `work` reads.
struct Rate {
  std::string what;
  Make text;
  double at_least_mb;
  Work work;
};
void add_rate(Rate row);

// How long `work` takes against `yardstick`, for everything else: `turns` times each, in turns.
struct Comparison {
  std::string what;
  double at_most;
  int turns;
  std::function<void()> work;
  std::function<void()> yardstick;
};
void add_comparison(Comparison row);

// Something with a unit of its own; `measure` returns it. `at_least`: more is better.
struct Figure {
  std::string what;
  std::string unit;
  double limit;
  bool at_least;
  std::function<double()> measure;
};
void add_figure(Figure row);

// Runs `add` when the program starts, so that a file only has to be there.
struct Rows {
  explicit Rows(const std::function<void()>& add) { add(); }
};

}  // namespace capsule::bench
