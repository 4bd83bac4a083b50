/*
 * Finds how to capture a program best, from a capture with stack copies: whether the kernel's
 * frame-pointer chains would have been enough, in which modules, and how much of the stack was
 * needed.
 */
#ifndef INGEST_STACK_SURVEY_H
#define INGEST_STACK_SURVEY_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct survey_module {
	char *path;
	uint64_t steps; /* from a frame in it to its caller */
	uint64_t alike; /* those where the frame pointer leads to the same caller */
};

struct stack_survey {
	uint64_t stacks;      /* that were unwound in user space */
	uint64_t complete;    /* of those, to the outermost frame */
	uint64_t truncated;   /* the copy was too short */
	uint64_t alike;       /* of the complete ones, same as the kernel's frame-pointer chain */
	uint64_t reached[65]; /* complete ones by the KiB of stack that they needed, rounded up */
	struct survey_module *modules; /* by steps, most first */
	size_t nmodules;
	size_t modules_capacity;
};

void stack_survey_release(struct stack_survey *survey);

struct record_sample;
struct unwind_sample;

/* Counts a sample whose stack was unwound in user space. */
void stack_survey_add(struct stack_survey *survey, const struct record_sample *sample,
	const struct unwind_sample *unwound);
/* Adds a module with its number of steps, and of those alike; once for each module. */
void stack_survey_add_module(
	struct stack_survey *survey, const char *path, uint64_t steps, uint64_t alike);

/* Whether frame pointers are enough for this program: nearly all stacks are complete and alike. */
bool stack_survey_trusts_frame_pointers(const struct stack_survey *survey);
/* How many bytes of stack are enough for nearly all samples: a power of two, within bounds. */
uint32_t stack_survey_bytes(const struct stack_survey *survey);
/* One line for people: in which modules frame pointers hold and where rows were needed. */
void stack_survey_explain(const struct stack_survey *survey, struct buf *out);

#endif
