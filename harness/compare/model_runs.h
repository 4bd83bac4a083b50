/*
 * The runs of a model: those of a stage that hold anything, in an order that follows from what is
 * in them alone. In paired mode those with a partner only, pair by pair on both sides.
 */
#ifndef COMPARE_MODEL_RUNS_H
#define COMPARE_MODEL_RUNS_H

#include "compare/model.h"

/* Fills runs (which must have room for all), nruns, first and npairs; options must be set. */
void model_choose_runs(
	struct model *model, const struct profile *profile, size_t nbefore, enum model_stage stage);

#endif
