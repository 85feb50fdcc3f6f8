#include "treewright/counting/mapped.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "treewright/counting/dispatch.hpp"
#include "treewright/parallel/threads.hpp"

namespace treewright {
namespace {

constexpr std::size_t kStreams = 16;
constexpr double kBytesPerNanosecond = 2;

// table[k][b]: what byte b does to the sum when k bytes come behind it.
constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, kStreams> table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t sum = b;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0u);
    table[0][b] = sum;
  }
  for (std::size_t k = 1; k < kStreams; ++k)
    for (std::size_t b = 0; b < 256; ++b)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
  return table;
}();

// The state after some bytes more.
std::uint32_t advanced(std::uint32_t state, std::span<const std::uint8_t> bytes) {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  if constexpr (std::endian::native == std::endian::little) {
    for (; left >= kStreams; at += kStreams, left -= kStreams) {
      std::uint32_t word[4];
      std::memcpy(word, at, kStreams);
      word[0] ^= state;
      state = 0;
      for (std::size_t w = 0; w < 4; ++w)
        for (std::size_t b = 0; b < 4; ++b)
          state ^= kCrcTables[kStreams - 1 - 4 * w - b][word[w] >> (8 * b) & 255];
    }
  }
  for (; left; ++at, --left) state = state >> 8 ^ kCrcTables[0][(state ^ *at) & 255];
  return state;
}

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  std::array<std::uint8_t, kStreams> rest;
  const std::size_t folded = kernels().fold(bytes.data(), bytes.size(), ~before, rest.data());
  const std::uint32_t state = folded == 0 ? ~before : advanced(0, rest);
  return ~advanced(state, bytes.subspan(folded));
}

MappedSections::MappedSections(std::string path, std::span<const std::uint8_t> bytes,
                               std::vector<FileSection> sections, [[maybe_unused]] int file,
                               std::shared_ptr<const void> keep)
    : path_(std::move(path)),
      bytes_(bytes),
      sections_(std::move(sections)),
      keep_(std::move(keep)),
      is_checked_(sections_.size()) {
  for (const FileSection& one : sections_) {
    const bool is_inside = one.length <= bytes.size() && one.offset <= bytes.size() - one.length;
    if (!is_inside || one.part == 0 || (one.length + one.part - 1) / one.part != one.sums.size())
      throw DamagedFile("'" + path_ + "' is damaged: its section '" + one.name +
                        "' cannot be where it is said");
  }
#if !defined(_WIN32)
  if (file >= 0) file_ = fcntl(file, F_DUPFD_CLOEXEC, 0);
#endif
}

MappedSections::~MappedSections() {
#if !defined(_WIN32)
  if (file_ >= 0) close(file_);
#endif
}

void MappedSections::check(std::size_t i, Cancel& cancel) const {
  const FileSection& one = sections_.at(i);
  parallel_for(one.sums.size(), static_cast<double>(one.length) / kBytesPerNanosecond, cancel,
               [&](std::size_t k) {
                 cancel.check();
                 const std::size_t begin = k * one.part;
                 const std::size_t length = std::min(one.part, one.length - begin);
                 if (crc32(bytes_.subspan(one.offset + begin, length)) != one.sums[k])
                   throw DamagedFile("'" + path_ + "' is damaged: the bytes of its section '" + one.name +
                                     "' are not those that were written; pack the rows again");
               });
}

void MappedSections::check_length() const {
#if !defined(_WIN32)
  struct stat found;
  if (file_ < 0 || fstat(file_, &found) != 0 || found.st_size >= static_cast<off_t>(bytes_.size())) return;
  throw DamagedFile("'" + path_ + "' was cut short after it was opened: it has " +
                    std::to_string(found.st_size) + " of " + std::to_string(bytes_.size()) +
                    " bytes; pack the rows again and open the file again");
#endif
}

const std::uint8_t* MappedSections::trusted(std::size_t i, Cancel& cancel) const {
  check_length();
  if (!is_checked_.at(i).load(std::memory_order_acquire)) {
    check(i, cancel);
    is_checked_[i].store(true, std::memory_order_release);
  }
  return bytes_.data() + sections_[i].offset;
}

const std::uint8_t* MappedSections::trusted(std::size_t i) const {
  Cancel nobody;
  return trusted(i, nobody);
}

}  // namespace treewright
