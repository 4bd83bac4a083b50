/*
 * The parts of the model, which model_estimate.c puts together: see model.h for the formulas.
 */
#ifndef COMPARE_MODEL_INTERNAL_H
#define COMPARE_MODEL_INTERNAL_H

#include "compare/model.h"

/* The method of estimation of a mode. Each of the three has its own file. */
struct model_method {
	/* Computes the values common to all subjects: spreads, variance of whole cost; or NULL. */
	void (*prepare)(struct model *model);
	struct model_estimate (*estimate)(
		const struct model *model, const struct model_subject *subject);
	struct model_estimate (*estimate_whole)(const struct model *model);
};

extern const struct model_method model_method_stored;
extern const struct model_method model_method_paired;
extern const struct model_method model_method_exact;

#endif
