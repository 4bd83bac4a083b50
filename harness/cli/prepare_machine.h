/*
 * Prepares the machine for a command that measures, if its configuration says so, by the means of
 * machine/prepare.h. Changes and problems are logged.
 */
#ifndef CLI_PREPARE_MACHINE_H
#define CLI_PREPARE_MACHINE_H

#include "machine/prepare.h"
#include "spec/workload.h"

/*
 * Restores settings left behind by a killed profile_run; then prepares the CPUs that the workloads
 * will run on. The result is for prepare_machine_end(); NULL: nothing was prepared. Signals must be
 * caught before, so that prepare_machine_end() is reached after an interruption, too.
 */
struct prepare *prepare_machine_begin(
	const struct config *config, const struct workload_list *list);
void prepare_machine_end(struct prepare *prepare);
/* Only restores settings left behind by a killed profile_run. */
void prepare_machine_recover(void);

#endif
