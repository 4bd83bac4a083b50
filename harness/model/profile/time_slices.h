/*
 * Time cut into slices of one length, and how the weights of samples fall into them.
 */
#ifndef PROFILE_TIME_SLICES_H
#define PROFILE_TIME_SLICES_H

#include "profile/sample_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last slice also has what ends with it. */
struct time_slices {
	uint64_t begin_ns;
	uint64_t slice_ns; /* above 0 */
	size_t count;
	bool of_times; /* weights are times: a sample's is spread over its own */
};

typedef void (*time_slice_add)(void *context, size_t slice, double weight);

/* Calls `add` for each slice that has a part of the sample's weight; outside of them it is lost. */
void time_slices_spread(const struct time_slices *slices, const struct timed_sample *sample,
	time_slice_add add, void *context);

#endif
