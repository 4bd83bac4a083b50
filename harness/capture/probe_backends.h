/*
 * What `doctor` tries of the backends that do not sample through the kernel.
 */
#ifndef CAPTURE_PROBE_BACKENDS_H
#define CAPTURE_PROBE_BACKENDS_H

#include "machine/probe.h"

/* For probe_machine(); ends with NULL. */
extern probe_part *const probe_backends[];

#endif
