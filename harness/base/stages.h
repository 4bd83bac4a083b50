/*
 * A pipeline of two stages: the owner fills parcels, one after the other; threads perform the first
 * stage on several parcels at once, the second on one at a time, in the order they were filled.
 *
 * Every thread takes any work that is ready, and so does the owner while it has to wait. So none is
 * reserved for one stage, and there need not be more threads than CPUs.
 */
#ifndef BASE_STAGES_H
#define BASE_STAGES_H

struct stages;

/* The number of CPUs that this process may use; 1 if it is not known. */
unsigned stages_usable_cpus(void);

/* The work on a parcel, by one of the threads; the owner is thread 0. */
typedef void (*stage_work)(void *context, unsigned parcel, unsigned thread);

struct stages_options {
	unsigned nthreads; /* including the owner's; 0: one per CPU that this process may use */
	unsigned nparcels; /* at least 2 */
	stage_work first;
	stage_work second;
	void *context;
};

/* The other threads are started by the first parcel that is passed on. */
struct stages *stages_new(const struct stages_options *options);
/* Parcels that were passed on and not waited for are dropped. NULL is fine. */
void stages_free(struct stages *stages);
/* Number of threads, started or not yet, including the owner's. */
unsigned stages_nthreads(const struct stages *stages);

/* Passes on the parcel that the owner has filled (0 is the first), and returns the one to fill. */
unsigned stages_pass(struct stages *stages);
/* Helps until both stages of all that was passed on are done. */
void stages_wait(struct stages *stages);

/* Waits until no second stage is being done; none begins before more is passed on or waited for. */
void stages_hold(struct stages *stages);

#endif
