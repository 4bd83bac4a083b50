/*
 * Prepares the machine for a command that measures, if its configuration says so, by the means of
 * machine/prepare.h. Changes and problems are logged.
 */
#ifndef CLI_PREPARING_H
#define CLI_PREPARING_H

#include "machine/prepare.h"
#include "spec/workload.h"

/*
 * Restores settings left behind by a killed profile_run; then prepares the CPUs that the workloads
 * will run on. The result is for preparing_end(); NULL: nothing was prepared. Signals must be
 * caught before, so that preparing_end() is reached after an interruption, too.
 */
struct prepare *preparing_begin(const struct config *config, const struct workload_list *list);
void preparing_end(struct prepare *prepare);
/* Only restores settings left behind by a killed profile_run. */
void preparing_recover(void);

#endif
