#include "bridle/report/consensus/consensus_report.hpp"

#include <fmt/format.h>

#include "bridle/certify/certificate_text.hpp"

namespace bridle {

std::string consensus_text(const ConsensusResult& r) {
  std::string out = fmt::format(
      "\n{}: objective of the mean {:.8g}, error {:.2e} (relative tolerance {:.1e}), consensus error {:.2e}, "
      "{} iterations, {:.2f} s\n{}\n\n",
      to_string(r.status), r.certificate.objective, r.certificate.error(), r.tolerance, r.consensus_error,
      r.iterations, r.solve_seconds,
      r.found_by == FoundBy::polish ? "found by the closing rounds of averaging" : found_by_text(r.found_by));
  if (!r.advice.empty()) out.insert(out.size() - 1, "stopped: " + r.advice + "\n");
  out += certificate_text(r.certificate);
  const auto line = [&](const char* name, const std::string& value, const char* meaning) {
    out += fmt::format("  {:<16} {:>12}  {}\n", name, value, meaning);
  };
  out += "network\n";
  line("consensus error", fmt::format("{:.4e}", r.consensus_error), "max_i |x_i - mean|");
  line("before finishing", fmt::format("{:.4e}", r.error_before_finish), "");
  line("|E[A] x|", fmt::format("{:.4e}", r.expected_residual), "");
  line("finishing rounds", fmt::format("{}", r.finishing_rounds), "of neighbour averaging");
  line("edges up", fmt::format("{:.4f}", r.up_fraction), "fraction of the edges, mean over the iterations");
  line("bytes per node", fmt::format("{:.4g}", r.bytes_per_node.mean()),
       "sent, finishing included; mean over the nodes");
  if (r.ranks > 1)
    line("between ranks", fmt::format("{:.4g}", r.rank_bytes),
         fmt::format("bytes in {:.0f} messages", r.rank_messages).c_str());
  line("dual resets", fmt::format("{}", r.dual_resets), "");
  return out + "\n" + r.phases.text();
}

Json to_json(const ConsensusResult& r, const Names& variables, double load_seconds) {
  Json out = Json::object();
  out["status"] = to_string(r.status);
  out.update(to_json(r.certificate));
  out["consensus_error"] = number(r.consensus_error);
  out["consensus_error_before_finish"] = number(r.error_before_finish);
  out["expected_residual"] = number(r.expected_residual);
  out["nodes"] = r.points.cols();
  out["up_fraction"] = number(r.up_fraction);
  out["message_bytes"] = r.message_bytes;
  out["bytes_per_node"] = std::vector<double>(r.bytes_per_node.begin(), r.bytes_per_node.end());
  out["bytes_per_node_mean"] = number(r.bytes_per_node.mean());
  out["ranks"] = r.ranks;
  out["rank_messages"] = r.rank_messages;
  out["rank_bytes"] = r.rank_bytes;
  out["finishing_rounds"] = r.finishing_rounds;
  out["dual_resets"] = r.dual_resets;
  out["tolerance"] = r.tolerance;
  if (!r.advice.empty()) out["advice"] = r.advice;
  out["iterations"] = r.iterations;
  out["samples"] = r.samples;
  out["seconds"] = load_seconds + r.solve_seconds + r.certify_seconds;
  out["load_seconds"] = load_seconds;
  out["solve_seconds"] = r.solve_seconds;
  out["certify_seconds"] = r.certify_seconds;
  out["found_by"] = to_string(r.found_by);
  out["phases"] = to_json(r.phases);
  out["algorithm"] = r.algorithm;
  out["parameters"] = to_json(r.parameters, r.reasons);
  out["seed"] = r.seed;
  out["x"] = by_name(variables, r.mean);
  return out;
}

}  // namespace bridle
