/*
 * The choice of the sampling event by trying it.
 */
#ifndef CAPTURE_CHOOSE_H
#define CAPTURE_CHOOSE_H

#include "base/err.h"
#include "capture/backend.h"

/* As struct capture_backend has it: `wanted` is "auto" (cycles, else cpu-clock) or a name. */
int choose_event(const char *wanted, struct capture_event *event, struct err *err);

#endif
