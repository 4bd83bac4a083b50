/*
 * The key `service` of a workload.
 */
#ifndef SPEC_SERVICE_KEYS_H
#define SPEC_SERVICE_KEYS_H

#include "spec/keys.h"

/*
 * The `read` of `service`: makes a struct service (process/service.h) without a driver, and puts a
 * pointer to it `into`. The arena's.
 */
int service_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

/*
 * The key `latency` of a workload.
 */

extern const struct key latency_keys[];

/*
 * The `read` of `latency`: makes a struct latency_source (profile/latency.h) and puts a pointer to
 * it `into`. The arena's.
 */
int latency_keys_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

#endif
