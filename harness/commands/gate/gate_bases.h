/*
 * The builds that a gate compares with: one for each commit, opened once.
 */
#ifndef PIPELINE_GATE_BASES_H
#define PIPELINE_GATE_BASES_H

#include "builds/build_side.h"

#include <stddef.h>

struct gate_bases {
	struct build_side **sides; /* owned */
	size_t nsides;
	size_t capacity;
};

void gate_bases_release(struct gate_bases *bases);

/* The build of a commit by its full name, until the release; NULL on an error. */
const struct build_side *gate_bases_open(struct gate_bases *bases,
	const struct repository *repository, const char *commit, struct err *err);

#endif
