#include "bridle/report/plot/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bridle/report/page/page.hpp"

namespace bridle {
namespace {

constexpr double width = 980, left = 78, right = 18, gap = 74, top = 46, panel_height = 190, between = 46;
constexpr double panel_width = (width - left - right - gap) / 2;
constexpr std::array<const char*, 8> colours = {"#2f6f8f", "#c2572b", "#4f8a3c", "#7d4f9e",
                                                "#b0893a", "#b23a68", "#3f8f88", "#56606b"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

// What a panel shows, and against what.
struct Shown {
  const char* title;
  std::vector<double> RunLog::*values;
  bool logarithmic;
};
constexpr std::array<Shown, 3> figures = {{{"objective", &RunLog::objective, false},
                                           {"feasibility", &RunLog::feasibility, true},
                                           {"stationarity", &RunLog::stationarity, true}}};
struct Against {
  const char* title;
  std::vector<double> RunLog::*values;
};
constexpr std::array<Against, 2> sides = {{{"samples", &RunLog::samples}, {"seconds", &RunLog::seconds}}};

// Zeros have no logarithm, and what is so far below the largest value is rounding: both are drawn on a floor.
constexpr double least_share = 1e-10;

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false, floor = false;  // a line a step below the least value that is drawn in its place

  double place(double v) const {
    const double t = !logarithmic ? v : v > 0 ? std::max(low, std::log10(v)) : low;
    return (t - low) / (high - low);
  }
};

// The logarithms of what is above the floor, and whether something is not.
std::vector<double> above_floor(const std::vector<double>& values, bool& rest) {
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::vector<double> out;
  for (const double v : values) {
    if (v > 0 && v >= least_share * most)
      out.push_back(std::log10(v));
    else
      rest = true;
  }
  return out;
}

Axis axis_over(const std::vector<RunLog>& logs, std::vector<double> RunLog::*values, bool logarithmic,
               bool robust) {
  std::vector<double> all;
  for (const RunLog& log : logs)
    for (const double v : log.*values)
      if (std::isfinite(v)) all.push_back(v);
  Axis axis{0, 1, logarithmic};
  if (logarithmic) all = above_floor(all, axis.floor);
  if (all.empty()) return axis;
  std::sort(all.begin(), all.end());
  axis.low = all.front();
  axis.high = all.back();
  // The first rows of an objective may be far above all that follows.
  if (robust && all.size() > 20) {
    const double most = all[all.size() * 97 / 100], span = most - axis.low;
    if (span > 0 && axis.high > most + 3 * span) axis.high = most + 0.3 * span;
  }
  if (logarithmic) {
    axis.low = std::floor(axis.low);
    axis.high = std::max(axis.low + 1, std::ceil(axis.high));
    if (axis.floor) axis.low -= 1;
  } else if (!(axis.high > axis.low)) {
    const double room = std::max(1e-12, 0.1 * std::abs(axis.low));
    axis.low -= room;
    axis.high += room;
  } else if (robust) {
    const double room = 0.05 * (axis.high - axis.low);
    axis.low -= room;
    axis.high += room;
  }
  return axis;
}

std::vector<double> ticks_of(const Axis& axis) {
  std::vector<double> out;
  if (axis.logarithmic) {
    const double step = std::max(1.0, std::ceil((axis.high - axis.low) / 6));
    for (double t = axis.high; t >= axis.low + (axis.floor ? 0.5 : -1e-9); t -= step) out.push_back(t);
    if (axis.floor) out.push_back(axis.low);
    return out;
  }
  const double span = axis.high - axis.low, rough = span / 5,
               power = std::pow(10, std::floor(std::log10(rough)));
  const double ratio = rough / power, step = power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
  for (double t = std::ceil(axis.low / step) * step; t <= axis.high + 1e-9 * span; t += step)
    out.push_back(std::abs(t) < 1e-9 * step ? 0 : t);
  return out;
}

std::string tick_text(const Axis& axis, double tick) {
  if (axis.floor && tick == axis.low) return "about 0";
  return axis.logarithmic ? fmt::format("1e{}", std::lround(tick)) : fmt::format("{:.6g}", tick);
}

class Panel {
 public:
  Panel(double x, double y, const std::vector<RunLog>& logs, const Shown& figure, const Against& against)
      : x_(x),
        y_(y),
        logs_(logs),
        figure_(figure),
        against_(against),
        across_(axis_over(logs, against.values, false, false)),
        up_(axis_over(logs, figure.values, figure.logarithmic, !figure.logarithmic)) {
    across_.low = std::min(0.0, across_.low);
  }

  std::string svg() const {
    std::string out = fmt::format(
        "<g><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"frame\"/>\n", x_, y_,
        panel_width, panel_height);
    out += grid();
    for (std::size_t k = 0; k < logs_.size(); ++k) out += curve(logs_[k], colours[k % colours.size()]);
    return out + "</g>\n";
  }

 private:
  double px(double v) const { return x_ + panel_width * across_.place(v); }
  double py(double v) const { return y_ + panel_height * (1 - std::clamp(up_.place(v), -0.02, 1.02)); }
  double tick_y(double t) const { return y_ + panel_height * (1 - (t - up_.low) / (up_.high - up_.low)); }

  std::string grid() const {
    std::string out;
    for (const double t : ticks_of(up_))
      out += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>"
          "<text x=\"{3:.1f}\" y=\"{4:.1f}\" class=\"tick\" text-anchor=\"end\">{5}</text>\n",
          x_, x_ + panel_width, tick_y(t), x_ - 6, tick_y(t) + 4, tick_text(up_, t));
    for (const double t : ticks_of(across_))
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"middle\">{}</text>\n",
                         px(t), y_ + panel_height + 15, tick_text(across_, t));
    out += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"title\">{}{}</text>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\" text-anchor=\"end\">{}</text>\n",
        x_, y_ - 7, figure_.title, figure_.logarithmic ? " (logarithmic)" : "", x_ + panel_width,
        y_ + panel_height + 30, against_.title);
    return out;
  }

  // A line through the rows, a thin one where a new phase begins, and a ring around the point that was
  // returned. Models that are trained in turn have a line each.
  std::string curve(const RunLog& log, const char* colour) const {
    const auto& across = log.*against_.values;
    const auto& up = log.*figure_.values;
    std::string path, marks;
    bool drawing = false;
    for (std::size_t k = 0; k < log.rows(); ++k) {
      if (!std::isfinite(across[k]) || !std::isfinite(up[k])) {
        drawing = false;
        continue;
      }
      if (k > 0 && other_model(log, k)) drawing = false;
      path += fmt::format("{}{:.2f} {:.2f}", drawing ? "L" : "M", px(across[k]), py(up[k]));
      drawing = true;
      const bool has_phase = k < log.phases.size();
      if (has_phase && k > 0 && log.phases[k] != log.phases[k - 1] && log.phases[k] != "result")
        marks += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"phase\" "
            "stroke=\"{3}\"><title>{4}: {5}</title></line>\n",
            px(across[k]), y_, y_ + panel_height, colour, escaped(log.title), escaped(log.phases[k]));
      if (has_phase && log.phases[k] == "result")
        marks += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" stroke=\"{}\" class=\"end\"><title>{}: "
            "the point returned, {:.6g}</title></circle>\n",
            px(across[k]), py(up[k]), colour, escaped(log.title), up[k]);
    }
    return fmt::format("<path d=\"{}\" stroke=\"{}\" class=\"curve\"/>\n", path, colour) + marks;
  }

  static bool other_model(const RunLog& log, std::size_t k) {
    if (k >= log.phases.size() || log.phases[k] == log.phases[k - 1]) return false;
    return log.phases[k].starts_with("model ") || log.phases[k - 1].starts_with("model ");
  }

  double x_, y_;
  const std::vector<RunLog>& logs_;
  const Shown& figure_;
  const Against& against_;
  Axis across_, up_;
};

std::string legend(const std::vector<RunLog>& logs) {
  std::string out;
  double x = left;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    out += fmt::format(
        "<line x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"16\" y2=\"16\" stroke=\"{2}\" class=\"curve\"/>"
        "<text x=\"{3:.0f}\" y=\"20\" class=\"name\">{4}</text>\n",
        x, x + 22, colours[k % colours.size()], x + 28, escaped(logs[k].title));
    x += 46 + 7.5 * static_cast<double>(logs[k].title.size());
  }
  return out;
}

}  // namespace

std::string plot_svg(const std::vector<RunLog>& logs) {
  const double height = top + static_cast<double>(figures.size()) * (panel_height + between) + 4;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "role=\"img\" aria-label=\"Progress of runs\">\n<style>text{{font:12px system-ui,'DejaVu "
      "Sans',sans-serif;"
      "fill:#1d2733}}.tick{{font-size:11px;fill:#51606e}}.title{{font-weight:600}}.frame{{fill:none;stroke:#"
      "b9c4cd}}"
      ".grid{{stroke:#e6ebef}}.curve{{fill:none;stroke-width:1.6}}.phase{{stroke-dasharray:2 3;opacity:.7}}"
      ".end{{fill:#fff;stroke-width:2}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height);
  out += legend(logs);
  for (std::size_t row = 0; row < figures.size(); ++row)
    for (std::size_t column = 0; column < sides.size(); ++column)
      out +=
          Panel(left + static_cast<double>(column) * (panel_width + gap),
                top + static_cast<double>(row) * (panel_height + between), logs, figures[row], sides[column])
              .svg();
  return out + "</svg>\n";
}

std::string plot_html(const std::vector<RunLog>& logs) {
  std::string body = "<h1>Progress of runs</h1>\n" + plot_svg(logs) +
                     "<p>A dotted line: a new phase begins. A ring: the point that was returned, as it was "
                     "judged.</p>\n<table><tr><th>run</th><th>samples</th><th>seconds</th><th>objective</th>"
                     "<th>feasibility</th><th>stationarity</th><th>error</th></tr>\n";
  for (const RunLog& log : logs) {
    const auto figure = [&](const std::vector<double>& column, const char* format) {
      const double v = column.back();
      return "<td>" + (std::isfinite(v) ? fmt::format(fmt::runtime(format), v) : "-") + "</td>";
    };
    body += "<tr><td>" + escaped(log.title) + "</td>" + figure(log.samples, "{:.6g}") +
            figure(log.seconds, "{:.2f}") + figure(log.objective, "{:.8g}") +
            figure(log.feasibility, "{:.2e}") + figure(log.stationarity, "{:.2e}") +
            figure(log.error, "{:.2e}") + "</tr>\n";
  }
  body += "</table>\n";
  return html_page({.title = "progress of runs", .body = body, .style = "", .script = ""}, Json::object());
}

}  // namespace bridle
