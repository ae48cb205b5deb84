#ifdef BRIDLE_MPI
#include "bridle/mpi/mpi_exchange.hpp"

#include <algorithm>

#include "bridle/mpi/waiting.hpp"

namespace bridle {

MpiExchange::MpiExchange(const Territory& territory, double patience)
    : territory_(territory), patience_(patience) {
  std::vector<int> position(static_cast<std::size_t>(territory.ranks()), -1);
  for (const Link& link : territory.links()) {
    Way way;
    if (!territory.hosts(link.from) || !territory.hosts(link.to)) {
      way.here = territory.hosts(link.from) ? link.from : link.to;
      way.there = territory.hosts(link.from) ? link.to : link.from;
      const int rank = territory.host_of(territory.node(way.there));
      int& at = position[static_cast<std::size_t>(rank)];
      if (at < 0) {
        at = static_cast<int>(peers_.size());
        peers_.push_back({rank, {}, {}, {}, {}});
      }
      way.peer = at;
      peers_[static_cast<std::size_t>(at)].sent.push_back(way.here);
      peers_[static_cast<std::size_t>(at)].received.push_back(way.there);
    }
    ways_.push_back(way);
  }
  requests_.reserve(2 * peers_.size() + 1);
  waited_for_.reserve(2 * peers_.size() + 1);
}

void MpiExchange::start(const std::vector<std::size_t>& up, Matrix& points) {
  for (Peer& peer : peers_) peer.sent.clear(), peer.received.clear();
  for (const std::size_t k : up)
    if (const Way& way = ways_[k]; way.peer >= 0) {
      peers_[static_cast<std::size_t>(way.peer)].sent.push_back(way.here);
      peers_[static_cast<std::size_t>(way.peer)].received.push_back(way.there);
    }
  requests_.clear();
  waited_for_.clear();
  for (Peer& peer : peers_)
    if (!peer.sent.empty()) post(peer, points);
  ++round_;
}

void MpiExchange::post(Peer& peer, const Matrix& points) {
  for (auto* columns : {&peer.sent, &peer.received}) {
    std::sort(columns->begin(), columns->end());
    columns->erase(std::unique(columns->begin(), columns->end()), columns->end());
  }
  const auto width = static_cast<std::size_t>(points.rows());
  const auto tag = static_cast<int>(round_ % 32768);  // the least that MPI promises to tell apart
  // Grow in the first iterations only.
  if (peer.incoming.size() < width * peer.received.size())
    peer.incoming.resize(width * peer.received.capacity());
  if (peer.outgoing.size() < width * peer.sent.size()) peer.outgoing.resize(width * peer.sent.capacity());
  MPI_Irecv(peer.incoming.data(), message_size(static_cast<Index>(width * peer.received.size())), MPI_DOUBLE,
            peer.rank, tag, MPI_COMM_WORLD, &requests_.emplace_back());
  for (std::size_t k = 0; k < peer.sent.size(); ++k)
    std::copy_n(points.col(peer.sent[k]).data(), width, peer.outgoing.data() + k * width);
  MPI_Isend(peer.outgoing.data(), message_size(static_cast<Index>(width * peer.sent.size())), MPI_DOUBLE,
            peer.rank, tag, MPI_COMM_WORLD, &requests_.emplace_back());
  waited_for_.insert(waited_for_.end(), 2, peer.rank);
  ++messages_;
  bytes_ += sizeof(double) * width * peer.sent.size();
}

void MpiExchange::finish(Matrix& points) {
  wait_for(requests_, waited_for_, patience_);
  const auto width = static_cast<std::size_t>(points.rows());
  for (const Peer& peer : peers_)
    for (std::size_t k = 0; k < peer.received.size(); ++k)
      std::copy_n(peer.incoming.data() + k * width, width, points.col(peer.received[k]).data());
}

Matrix MpiExchange::gather(const Matrix& hosted) {
  std::vector<int> counts, starts;
  for (int rank = 0; rank < territory_.ranks(); ++rank) {
    starts.push_back(message_size(hosted.rows() * territory_.first_of(rank)));
    counts.push_back(message_size(hosted.rows() * territory_.first_of(rank + 1)) - starts.back());
  }
  Matrix all(territory_.rank() == 0 ? hosted.rows() : 0, territory_.rank() == 0 ? territory_.nodes() : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igatherv(hosted.data(), message_size(hosted.size()), MPI_DOUBLE, all.data(), counts.data(),
               starts.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  return all;
}

void MpiExchange::broadcast(Vector& figures) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(figures.data(), message_size(figures.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
}

std::uint64_t MpiExchange::smallest(std::uint64_t number) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  return number;
}

}  // namespace bridle
#endif
