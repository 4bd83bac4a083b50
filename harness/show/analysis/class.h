/*
 * The purpose of a profile's samples, by the classes of the functions on their stacks.
 */
#ifndef ANALYSIS_CLASS_H
#define ANALYSIS_CLASS_H

#include "analysis/data.h"
#include "profile/function_class.h"

/* The weight of the samples whose stack holds a function of each of the classes in `mask`. */
double class_weight(const struct analysis_data *data, const unsigned *classes, unsigned mask);

/*
 * The samples whose stack holds a function of any class in `mask`. The entry is the outermost such
 * function of a stack, the owner the function above it: both sorted, largest first.
 */
struct class_group {
	double weight;
	struct analysis_edges entries;
	struct analysis_edges owners; /* a process is not an owner */
};

void class_group_init(struct class_group *group, const struct analysis_data *data,
	const unsigned *classes, unsigned mask);
void class_group_release(struct class_group *group);

/* Appends "write" for __x64_sys_write, ksys_write and so on; other names as they are. */
void class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame);

#endif
