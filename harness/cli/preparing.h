/*
 * Quietening the machine for a command that measures, with what is to be known of it as log.
 */
#ifndef CLI_PREPARING_H
#define CLI_PREPARING_H

#include "machine/prepare.h"
#include "spec/workload.h"

/*
 * Puts back what a killed run has left; then prepares, if the configuration asks for it, the CPUs
 * that the workloads will run on. For preparing_end(); NULL if nothing was asked for. Signals are
 * to be caught before, so that an interruption comes to the end too.
 */
struct prepare *preparing_begin(const struct config *config, const struct workload_list *list);
void preparing_end(struct prepare *prepare);
/* The first part alone. */
void preparing_recover(void);

#endif
