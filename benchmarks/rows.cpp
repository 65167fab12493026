#include "benchmarks/rows.h"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace capsule::bench {
namespace {

constexpr int kTurns = 9;

struct Measured {
  std::string what;
  std::string unit;
  double limit;
  bool at_least;
  double value = 0;
  bool done = false;
};

// Rows stay where they are: benchmarks that were registered point to them.
std::deque<Measured>& rows() {
  static std::deque<Measured> all;
  return all;
}

// Time of the clock on the wall, for work that other processes do.
double wall_seconds(const std::function<void()>& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

// Time on the processor, for our own work: what else the machine does then counts for less.
double seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const double from = now();
  work();
  return now() - from;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void read_newlines(std::string_view text) {
  std::size_t lines = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (found == nullptr) break;
    at = static_cast<const char*>(found) + 1;
    ++lines;
  }
  benchmark::DoNotOptimize(lines);
}

// One Google Benchmark for a row. `turn` does one turn and returns how long the work took;
// `value` makes the row's value when all turns are done.
void add_row(Measured row, int turns, std::function<double(benchmark::State&)> turn,
             std::function<double()> value) {
  Measured& place = rows().emplace_back(std::move(row));
  benchmark::RegisterBenchmark(place.what.c_str(),
                               [&place, turn, value](benchmark::State& state) {
                                 for (auto _ : state) state.SetIterationTime(turn(state));
                                 place.value = value();
                                 place.done = true;
                                 state.counters[place.unit] = place.value;
                               })
      ->UseManualTime()
      ->Iterations(turns)
      ->Unit(benchmark::kMillisecond);
}

struct Times {
  std::vector<double> work;
  std::vector<double> yardstick;
  double ratio() const { return median(work) / median(yardstick); }
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.0f", value);
  return text;
}

}  // namespace

Buffer::Buffer(std::string_view text) : size_(text.size()) {
  void* pages = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) std::abort();
  data_ = static_cast<char*>(pages);
  std::memcpy(data_, text.data(), size_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer::~Buffer() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void add_ratio(Ratio row) {
  auto times = std::make_shared<Times>();
  auto buffer = std::make_shared<std::unique_ptr<Buffer>>();
  add_row(
      {row.what, "x memchr", row.at_most, false}, kTurns,
      [times, buffer, row](benchmark::State& state) {
        if (!*buffer) {
          *buffer = std::make_unique<Buffer>(row.text());
          read_newlines((*buffer)->view());  // brings the pages in
        }
        const std::string_view text = (*buffer)->view();
        times->yardstick.push_back(seconds([&] { read_newlines(text); }));
        times->work.push_back(seconds([&] { row.work(text); }));
        state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
        return times->work.back();
      },
      [times, buffer] {
        buffer->reset();
        return times->ratio();
      });
}

void add_rate(Rate row) {
  auto times = std::make_shared<Times>();
  auto buffer = std::make_shared<std::unique_ptr<Buffer>>();
  auto size = std::make_shared<std::size_t>();
  add_row(
      {row.what, "MB/s", row.at_least_mb, true}, 3,
      [times, buffer, size, row](benchmark::State&) {
        if (!*buffer) *buffer = std::make_unique<Buffer>(row.text());
        const std::string_view text = (*buffer)->view();
        *size = text.size();
        times->work.push_back(seconds([&] { row.work(text); }));
        return times->work.back();
      },
      [times, buffer, size] {
        buffer->reset();
        return static_cast<double>(*size) / 1e6 / median(times->work);
      });
}

void add_comparison(Comparison row) {
  auto times = std::make_shared<Times>();
  add_row(
      {row.what, "x", row.at_most, false}, row.turns,
      [times, row](benchmark::State&) {
        times->yardstick.push_back(wall_seconds(row.yardstick));
        times->work.push_back(wall_seconds(row.work));
        return times->work.back();
      },
      [times] { return times->ratio(); });
}

void add_figure(Figure row) {
  auto figure = std::make_shared<double>();
  add_row(
      {row.what, row.unit, row.limit, row.at_least}, 1,
      [figure, row](benchmark::State&) { return wall_seconds([&] { *figure = row.measure(); }); },
      [figure] { return *figure; });
}

// The table for people; Google Benchmark's own lines go to the file that --benchmark_out names.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.error_occurred) failed = true;
    std::fputc('.', stderr);
  }
  bool failed = false;
};

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::fputc('\n', stderr);
  std::printf("%-58s | %16s | %18s | ok\n", "what", "measured", "limit");
  std::printf("%s\n", std::string(103, '-').c_str());
  bool good = !reporter.failed;
  int shown = 0;
  for (const Measured& row : rows()) {
    if (!row.done) continue;
    ++shown;
    const bool ok = row.at_least ? row.value >= row.limit : row.value <= row.limit;
    good &= ok;
    std::printf("%-58s | %16s | %18s | %s\n", row.what.c_str(),
                (number(row.value) + " " + row.unit).c_str(),
                ((row.at_least ? ">= " : "<= ") + number(row.limit) + " " + row.unit).c_str(),
                ok ? "yes" : "NO");
  }
  if (shown == 0) std::fputs("no row matches\n", stderr);
  return good && shown > 0 ? 0 : 1;
}

}  // namespace capsule::bench

int main(int argc, char** argv) { return capsule::bench::run(argc, argv); }
