/*
 * The parts of the model, which model_estimate.c puts together: see model.h for the formulas.
 */
#ifndef COMPARE_MODEL_INTERNAL_H
#define COMPARE_MODEL_INTERNAL_H

#include "compare/model.h"

/* What the three modes estimate. Each has a file of its own. */
struct model_method {
	/* What is the same for all subjects: spreads, the variance of whole cost. NULL: nothing. */
	void (*prepare)(struct model *model);
	struct model_estimate (*estimate)(
		const struct model *model, const struct model_subject *subject);
	struct model_estimate (*estimate_whole)(const struct model *model);
};

extern const struct model_method model_method_stored;
extern const struct model_method model_method_paired;
extern const struct model_method model_method_exact;

/*
 * The runs of a stage that hold anything, in an order that follows from what is in them alone. In
 * paired mode those with a partner only, pair by pair on both sides. Fills runs (which must have
 * room for all), nruns, first and npairs; options must be set.
 */
void model_choose_runs(
	struct model *model, const struct profile *profile, size_t nbefore, enum model_stage stage);

#endif
