/*
 * Quietening the machine for a command that measures (machine/prepare.h), as its configuration
 * says; changes and problems are logged.
 */
#ifndef CLI_PREPARING_H
#define CLI_PREPARING_H

#include "machine/prepare.h"
#include "spec/workload.h"

/*
 * Restores settings left behind by a killed run; then prepares, if the configuration says so, the
 * CPUs that the workloads will run on. For preparing_end(); NULL if it does not. Signals must be
 * caught before, so that preparing_end() is reached after an interruption, too.
 */
struct prepare *preparing_begin(const struct config *config, const struct workload_list *list);
void preparing_end(struct prepare *prepare);
/* Only restores settings left behind by a killed run. */
void preparing_recover(void);

#endif
