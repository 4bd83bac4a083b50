/*
 * Part of sampler.c: opening the events and mapping their buffers.
 */
#ifndef CAPTURE_SAMPLER_EVENTS_H
#define CAPTURE_SAMPLER_EVENTS_H

#include "capture/sampler.h"

/* PERF_FORMAT_LOST since Linux 6.0; older headers do not know it. */
#define SAMPLER_FORMAT_LOST (1U << 4)

/*
 * Fills in attr, fds, ids, cpus and rings. As the kernel and the limits allow: with fewer features
 * than wished where it is an older one, and with smaller buffers. On error
 * sampler_events_close() is still to be called.
 */
int sampler_events_open(struct sampler *sampler, const struct capture_request *request,
	const pid_t *tasks, size_t ntasks, struct err *err);
void sampler_events_close(struct sampler *sampler);

#endif
