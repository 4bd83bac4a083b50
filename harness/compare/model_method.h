/*
 * What the three modes estimate: see model.h for the formulas. Each has a file of its own.
 */
#ifndef COMPARE_MODEL_METHOD_H
#define COMPARE_MODEL_METHOD_H

#include "compare/model.h"

struct model_method {
	/* What is the same for all subjects: spreads, the variance of whole cost. */
	void (*prepare)(struct model *model);
	struct model_estimate (*estimate)(
		const struct model *model, const struct model_subject *subject);
	struct model_estimate (*estimate_whole)(const struct model *model);
};

extern const struct model_method model_method_stored;
extern const struct model_method model_method_paired;
extern const struct model_method model_method_exact;

#endif
