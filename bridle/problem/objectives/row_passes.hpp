// Passes over the rows of a data set, cut into chunks: how many there are depends on the data alone, and
// their sums are added up as a tree, so that the bits are the same on any number of threads, and of processes
// that share a pass. Where a process has some shares of the data only, the shares are cut into chunks, and
// the tree is over the shares: the bits depend on their number, not on that of the processes.
//
// Of what every row has of its own, such as outputs, a process knows the figures of its own rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "bridle/core/tree_sum.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle {

class RowPasses {
 public:
  // `among`: processes that all have these rows, and share passes over them; null: this one alone.
  explicit RowPasses(const Features& features, const Processes* among = nullptr)
      : RowPasses(features.rows(), features.columns(), features.entries(), among) {}
  RowPasses(Index rows, Index columns, double entries, const Processes* among)
      : rows_(rows),
        entries_(entries),
        of_vectors_(chunks(entries_, static_cast<double>(columns))),
        among_(of_vectors_ > 1 ? among : nullptr) {}
  // Rows of those shares of a data set of so many entries that are here: they begin at rows starts[0] = 0,
  // starts[1], ..., and the last of these is where they end.
  RowPasses(Index columns, Shares shares, std::vector<Index> starts, std::vector<double> entries_of_shares,
            double entries_of_all)
      : rows_(starts.back()),
        entries_(entries_of_all),
        of_vectors_(chunks(entries_, static_cast<double>(columns))),
        among_(nullptr),
        shares_(std::move(shares)),
        starts_(std::move(starts)),
        entries_of_shares_(std::move(entries_of_shares)) {}

  // Of a pass that takes so many multiply-adds and makes a result of this size of every chunk: large enough
  // to be worth a thread and a result of their own; a power of two of them.
  static Index chunks(double work, double result_size) {
    const double least = std::max(worth_a_thread, 16 * result_size);
    return static_cast<Index>(
        std::bit_floor(static_cast<std::size_t>(std::clamp(work / least, 1.0, most_chunks))));
  }
  // Whether a pass that makes a vector is worth messages to other processes.
  bool worth_processes() const { return of_vectors_ > 1 && entries_ >= worth_messages; }

  // The sum of what compute(first, end, part) makes of copies of `zero`.
  template <class Result, class Compute>
  Result sum(double work, double result_size, const Result& zero, const Compute& compute) const {
    if (!shares_) return sum_of(chunks(work, result_size), zero, compute);
    return sum_of_shares(zero, compute, [&](std::size_t share) {
      return chunks(work * entries_of_shares_[share] / std::max(1.0, entries_), result_size);
    });
  }
  // The same where every share is one chunk, or all rows are where there are no shares.
  template <class Result, class Compute>
  Result sum_whole(const Result& zero, const Compute& compute) const {
    return sum(0, 1, zero, compute);
  }
  // A number, of figures that every row has of its own.
  template <class Compute>
  double sum_of_figures(const Compute& compute) const {
    constexpr double work_of_a_row = 50;
    if (shares_)
      return sum_of_shares(0.0, compute, [&](std::size_t share) {
        return chunks(work_of_a_row * static_cast<double>(starts_[share + 1] - starts_[share]), 1);
      });
    return sum_of(std::max(of_vectors_, chunks(work_of_a_row * static_cast<double>(rows_), 1)), 0.0, compute);
  }
  // compute(first, end), for what every row has of its own: over the rows of this process.
  template <class Compute>
  void for_each_chunk(const Compute& compute) const {
    const Index count = std::max(of_vectors_, chunks(entries_, 1)), each = count / of_vectors_;
    const auto [begin, end] = own(of_vectors_);
    const Index first_chunk = begin * each;  // a lambda takes no structured binding in clang 14
    in_parallel(static_cast<std::size_t>((end - begin) * each), threads_in_use(), [&](std::size_t k) {
      const auto [first, last] = rows_of(first_chunk + static_cast<Index>(k), count);
      compute(first, last);
    });
  }
  // Whether a pass has the figures it needs in this process, of all rows that it sees here.
  bool sees_own_rows(double work, double result_size) const {
    return !among_ || chunks(work, result_size) >= of_vectors_;
  }
  // The rows that a pass needs in this process: first, end.
  std::pair<Index, Index> rows_needed(double work, double result_size) const {
    const Index shared = std::min(of_vectors_, chunks(work, result_size));
    if (shared == 1) return {0, rows_};  // every process passes over all of them
    const auto [begin, end] = own(shared);
    return {rows_of(begin, shared).first, rows_of(end, shared).first};
  }
  // Figures of all rows, where every process has those of its own: `figures` themselves, or what is made in
  // `room`.
  const Vector& completed(const Vector& figures, Vector& room) const {
    if (!among_) return figures;
    room = figures;
    complete(room);
    return room;
  }
  // The same in place, for figures of every stride-th row from `start` on.
  void complete(Vector& figures, Index start = 0, Index stride = 1) const {
    if (!among_) return;
    const auto first_of = [&](Index process) {
      const Index row = rows_of(first_of_share(of_vectors_, process, among_->count()), of_vectors_).first;
      return std::max<Index>(0, row - start + stride - 1) / stride;
    };
    for (Index process = 0; process < among_->count(); ++process) {
      const Index first = first_of(process), end = first_of(process + 1);
      among_->broadcast(process, {figures.data() + first, static_cast<std::size_t>(end - first)});
    }
  }
  // A figure for every row; those that others know are 0.
  void size_for_rows(Vector& figures) const {
    if (among_)
      figures.setZero(rows_);
    else
      figures.resize(rows_);
  }

  double entries() const { return entries_; }  // of all rows, wherever they are

 private:
  static constexpr double worth_a_thread = 1e5, most_chunks = 1024, worth_messages = 1e7;

  std::pair<Index, Index> rows_of(Index chunk, Index chunks) const {  // first, end
    return {chunk * rows_ / chunks, (chunk + 1) * rows_ / chunks};
  }
  template <class Result, class Compute>
  Result sum_of(Index count, const Result& zero, const Compute& compute) const {
    const auto of_chunk = [&](Index chunk, Result& part) {
      const auto [first, end] = rows_of(chunk, count);
      compute(first, end, part);
    };
    const unsigned threads = threads_in_use();
    if (!among_ || count == 1) return sum_over_parts(count, threads, zero, of_chunk);
    // Processes meet at the chunks of vectors: what these are made of is theirs.
    const Index shared = std::min(count, of_vectors_), each = count / shared;
    return sum_over_processes(*among_, shared, sums_of_shared(shared, each, threads, zero, of_chunk), zero);
  }
  // A tree over the shares, of trees over chunks_of(number among those here) chunks of each; threads take the
  // chunks of all shares here as they come.
  template <class Result, class Compute, class Chunks>
  Result sum_of_shares(const Result& zero, const Compute& compute, const Chunks& chunks_of) const {
    struct OfShare {
      explicit OfShare(Index chunks) : count(chunks), left(chunks), sum(0, chunks, chunks) {}
      Index count;
      std::atomic<Index> left;
      TreeSum<Result> sum;
    };
    const Index begin = shares_->first(), end = shares_->end();
    std::deque<OfShare> of_shares;
    std::vector<std::pair<std::size_t, Index>> chunks;  // share, among those here, and number in it
    for (std::size_t here = 0; here + 1 < starts_.size(); ++here) {
      const Index count = of_shares.emplace_back(chunks_of(here)).count;
      for (Index chunk = 0; chunk < count; ++chunk) chunks.emplace_back(here, chunk);
    }
    TreeSum<Result> sum(begin, end, shares_->count);
    in_parallel(chunks.size(), threads_in_use(), [&](std::size_t k) {
      const auto [here, chunk] = chunks[k];
      OfShare& share = of_shares[here];
      const Index start = starts_[here], rows = starts_[here + 1] - start;
      Result part = zero;
      compute(start + chunk * rows / share.count, start + (chunk + 1) * rows / share.count, part);
      share.sum.add(chunk, std::move(part));
      if (--share.left == 0) sum.add(begin + static_cast<Index>(here), std::move(share.sum.sums().front()));
    });
    if (!shares_->among) return std::move(sum.sums().front());
    return sum_over_processes(*shares_->among, shares_->count, std::move(sum.sums()), zero);
  }
  // Of so many parts those of this process: first, end.
  std::pair<Index, Index> own(Index parts) const {
    if (!among_) return {0, parts};
    return {first_of_share(parts, among_->number(), among_->count()),
            first_of_share(parts, among_->number() + 1, among_->count())};
  }
  // The sums of the nodes of this process in a tree over `shared` parts of `each` chunks, a power of two.
  template <class Result, class Compute>
  std::vector<Result> sums_of_shared(Index shared, Index each, unsigned threads, const Result& zero,
                                     const Compute& of_chunk) const {
    const auto [begin, end] = own(shared);
    if (begin == end) return {};
    return sums_of_nodes(begin * each, end * each, shared * each, threads, zero, of_chunk);
  }

  Index rows_;
  double entries_;
  Index of_vectors_;  // chunks of a pass that makes a vector
  const Processes* among_;
  std::optional<Shares> shares_;  // none: all rows are here
  std::vector<Index> starts_;
  std::vector<double> entries_of_shares_;
};

}  // namespace bridle
