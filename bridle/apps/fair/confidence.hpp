// Bounds on the training data that let bounds hold on other people too.
#pragma once

#include "bridle/apps/fair/rate_fit.hpp"

namespace bridle {

// Every row gets a margin: the deviation of its difference between training and fresh data, at the rate of
// selection that the labels have, times the normal quantile for all rows together, and the optimism. `fresh`
// are the cells of data as large as the fresh data; null: as large as the training data. The answer is the
// number of rows whose margin is larger than they have room: they are held at the middle of their bounds.
std::size_t tighten(std::vector<RateRow>& rows, const Cells& cells, const Cells* fresh, double base_rate,
                    double confidence, double optimism);

// How much farther apart rates are for people that a model has not seen than for those it has: decisions of
// models that were trained without a fifth of the people, on that fifth, against those of a model of all, on
// all. The same people are counted both times, so that chance hardly counts. The largest of the rows that are
// near their bounds; at least 0.
double measure_optimism(const FairProblem& problem, const FairData* test, const RateStatement& request,
                        const SolveOptions& options, Observer* observer);

}  // namespace bridle
