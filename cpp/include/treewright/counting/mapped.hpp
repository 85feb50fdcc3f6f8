// Rows in a file that somebody mapped: sections of bytes, each checked before a kernel may trust it.
//
// Kernels index by what they read, so bytes that a disk or a hand has changed must never reach them. A
// section is compared with its sums (CRC-32, one for each part of it) when it is first asked for, and once.
// Bytes that the file no longer has, since it was cut short meanwhile, end the process when they are touched;
// so the length of the file is looked at each time before a section is handed out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "treewright/parallel/cancel.hpp"

namespace treewright {

/// A file whose bytes are not those that were written; the message names the file and the section.
struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The CRC-32 of zlib and PNG, continued from that of the bytes before.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

struct FileSection {
  std::string name;
  std::size_t offset = 0, length = 0, part = 1;  // every part but the last has `part` bytes
  std::vector<std::uint32_t> sums;               // one for each part
};

class MappedSections {
 public:
  /// `bytes` are those of the whole file, which is open as `file` now (-1: there is none); `keep` can hold
  /// them.
  MappedSections(std::string path, std::span<const std::uint8_t> bytes, std::vector<FileSection> sections,
                 int file = -1, std::shared_ptr<const void> keep = nullptr);
  ~MappedSections();
  MappedSections(const MappedSections&) = delete;
  MappedSections& operator=(const MappedSections&) = delete;

  std::size_t size() const { return sections_.size(); }
  const FileSection& section(std::size_t i) const { return sections_.at(i); }
  /// The bytes of a section, which are those that were written; throws DamagedFile.
  const std::uint8_t* trusted(std::size_t i, Cancel& cancel) const;
  const std::uint8_t* trusted(std::size_t i) const;
  /// Throws DamagedFile when the file is no longer as long as its bytes.
  void check_length() const;

 private:
  void check(std::size_t i, Cancel& cancel) const;

  std::string path_;
  std::span<const std::uint8_t> bytes_;
  std::vector<FileSection> sections_;
  int file_ = -1;
  std::shared_ptr<const void> keep_;
  mutable std::vector<std::atomic<bool>> is_checked_;
};

}  // namespace treewright
