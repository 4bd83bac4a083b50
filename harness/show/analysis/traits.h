/*
 * Recommendations: findings in one profile, with its own numbers and names. Each trait is a
 * function in trait_*.c that adds nothing where the data does not show it.
 */
#ifndef ANALYSIS_TRAITS_H
#define ANALYSIS_TRAITS_H

#include "analysis/analysis.h"
#include "analysis/data.h"
#include "base/buf.h"

/*
 * The purpose of a profile's samples, by the classes of the functions on their stacks.
 */

/*
 * The samples whose stack holds a function of any class in `mask`. The entry is the outermost such
 * function of a stack, the owner the function above it: both sorted, largest first.
 */
struct class_group {
	double weight;
	struct analysis_edges entries;
	struct analysis_edges owners; /* a process is not an owner */
};

/* Appends "write" for __x64_sys_write, ksys_write and so on; other names as they are. */
void class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame);

#define ADVICE_SHOWN 5

struct advice {
	double share;     /* of the samples: those that it concerns */
	struct buf title; /* one sentence without a full stop */
	struct buf text;  /* paragraphs, each ended by a newline; may be empty */
};

struct advices {
	const struct analysis_data *data;       /* borrowed */
	const struct analysis_options *options; /* borrowed */
	const unsigned *classes;                /* by frame, class_of_frames(); borrowed */
	struct advice *items;
	size_t nitems;
	size_t capacity;
};

/* Adds an empty one, to be filled before the next is added. */
struct advice *advice_add(struct advices *advices, double share);

/* Where the program's own time is (trait_code.c). */
void trait_bottleneck(struct advices *advices); /* one function has much of it to itself */
void trait_subtree(struct advices *advices);    /* none has, but one call leads to most of it */
void trait_utility(struct advices *advices);    /* a function that many call */

/* Where the time of a script is, which an interpreter runs (trait_code.c). */
void trait_interpreter(struct advices *advices); /* functions of the script have no names */
void trait_script(struct advices *advices);      /* they have names */

/* Time that is not the program's own (trait_system.c). */
void trait_kernel(struct advices *advices);
void trait_waits(struct advices *advices);
void trait_faults(struct advices *advices);
void trait_locks(struct advices *advices);
void trait_allocation(struct advices *advices);
void trait_start(struct advices *advices);

/* Limits of the profile, and how to improve it (trait_quality.c). */
void trait_unknown(struct advices *advices);
void trait_incomplete(struct advices *advices);
void trait_flat(struct advices *advices); /* no call stacks */
void trait_few(struct advices *advices);
void trait_processes(struct advices *advices); /* several, of which one has most */

/* Appends heading and the ADVICE_SHOWN largest, or that nothing stands out. */
void advice_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out);

/*
 * The numbered table of an analysis: functions by their own weight, each with its callees or
 * callers below it.
 */

/* Appends heading and table. */
void hotspots_write(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out);

#endif
