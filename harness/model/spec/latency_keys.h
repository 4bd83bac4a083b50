/*
 * The key `latency` of a workload.
 */
#ifndef SPEC_LATENCY_KEYS_H
#define SPEC_LATENCY_KEYS_H

#include "spec/keys.h"

extern const struct key latency_keys[];

/*
 * The `read` of `latency`: makes a struct latency_source (profile/latency.h) and puts a pointer to
 * it `into`. The arena's.
 */
int latency_keys_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

#endif
