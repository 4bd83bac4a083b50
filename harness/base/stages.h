/*
 * Work in two stages beside its owner: parcels are filled by the owner, one after the other; the
 * first stage is done of several at once, the second of one at a time, in the order they came.
 *
 * Every thread takes whatever can be done, the owner as well while it has to wait: there is none
 * that only waits for another, and no more of them than there are CPUs for.
 */
#ifndef BASE_STAGES_H
#define BASE_STAGES_H

struct stages;

/* The work on a parcel, by one of the threads; the owner's is 0. */
typedef void (*stage_work)(void *context, unsigned parcel, unsigned thread);

struct stages_options {
	unsigned nthreads; /* the owner's counted; 0: one for each CPU that this process may use */
	unsigned nparcels; /* at least 2 */
	stage_work first;
	stage_work second;
	void *context;
};

/* The other threads are started by the first parcel that is passed on. */
struct stages *stages_new(const struct stages_options *options);
/* Parcels that were passed on and not waited for are dropped. NULL is fine. */
void stages_free(struct stages *stages);
/* How many threads take part, or will, the owner's counted. */
unsigned stages_nthreads(const struct stages *stages);

/* Passes on the parcel that the owner has filled (0 is the first), and returns the one to fill. */
unsigned stages_pass(struct stages *stages);
/* Helps until both stages of all that was passed on are done. */
void stages_wait(struct stages *stages);

/* Waits until no second stage is being done; none begins before more is passed on or waited for. */
void stages_hold(struct stages *stages);

#endif
