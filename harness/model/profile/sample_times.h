/*
 * When the samples of a capture were taken, and by which thread: what views of time are made of.
 *
 * A reader of profiles fills it while it reads (ingest_options.times), beside the call tree whose
 * nodes it refers to. Formats and captures without times leave it empty.
 */
#ifndef PROFILE_SAMPLE_TIMES_H
#define PROFILE_SAMPLE_TIMES_H

#include "base/map.h"
#include "base/strtab.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times are in ns since the capture's start. */
struct timed_sample {
	uint64_t begin_ns; /* of the time that it stands for, where that is known ... */
	uint64_t end_ns;   /* ... else both are the moment at which it was taken */
	double weight;
	node_id node;    /* in the profile's tree, before any change of that tree */
	uint32_t thread; /* index of `threads` */
	uint32_t cpu;
	bool waits;  /* the thread did not run */
	size_t next; /* sample of the same thread; SIZE_MAX: none */
};

struct timed_thread {
	uint32_t pid;
	uint32_t tid;
	str_id name; /* in `names`; 0: none was given */
	double weight;
	size_t nsamples;
	size_t first; /* sample, if there are any */
	size_t last;
};

/* A phase that the program said it was in (capture --phases). */
struct timed_phase {
	uint64_t begin_ns;
	uint64_t end_ns; /* where the next one began, or the program said so, or the last sample is
			  */
	str_id name;     /* in `names` */
};

struct sample_times {
	struct timed_sample *samples; /* by end once finished; owned */
	size_t nsamples;
	size_t samples_capacity;
	struct timed_thread *threads; /* in the order of their first samples; owned */
	size_t threads_capacity;
	struct key_map by_tid;      /* (pid, tid) -> index of `threads` */
	struct timed_phase *phases; /* in order of time; owned */
	size_t nphases;
	size_t phases_capacity;
	bool in_phase; /* the last one has not ended, until all is finished */
	struct strtab names;
	bool was_running;  /* the capture did not begin with what it is of: it is of a process that
			      ran before, or of all that ran */
	uint64_t start_ns; /* of the capture, by its own clock */
	uint64_t end_ns;   /* of the last sample, since the start */
};

void sample_times_init(struct sample_times *times);
void sample_times_release(struct sample_times *times);

/* The index of a thread, made if it is new. */
uint32_t sample_times_thread(struct sample_times *times, uint32_t pid, uint32_t tid);
void sample_times_set_name(struct sample_times *times, size_t thread, const char *name);
/* Adds a sample. */
void sample_times_add(struct sample_times *times, const struct timed_sample *sample);
/* Multiplies the weights of all samples so far by `factor`. */
void sample_times_scale(struct sample_times *times, double factor);
/* A phase begins, and the one before ends; with an empty name that alone. In order of time. */
void sample_times_begin_phase(
	struct sample_times *times, uint64_t begin_ns, const char *name, size_t len);
/* Puts all in order of time: once, after the last was added. */
void sample_times_finish(struct sample_times *times);

static inline size_t
sample_times_nthreads(const struct sample_times *times)
{
	return times->by_tid.count;
}

/* The samples of one thread, in their order: the first, and the one after `sample`; NULL: none. */
static inline const struct timed_sample *
sample_times_first(const struct sample_times *times, size_t thread)
{
	const struct timed_thread *of = &times->threads[thread];

	return of->nsamples > 0 ? &times->samples[of->first] : NULL;
}

static inline const struct timed_sample *
sample_times_after(const struct sample_times *times, const struct timed_sample *sample)
{
	return sample->next != SIZE_MAX ? &times->samples[sample->next] : NULL;
}

/*
 * How long a sample of this profile stands for where it does not say: from the frequency, else the
 * median time between two samples of a thread; 0 where there are no two.
 */
uint64_t sample_times_interval_ns(const struct sample_times *times, const struct profile *profile);

/*
 * The thread that TEXT means, by its id or else its name: of several of that name the one with most
 * weight. SIZE_MAX if there is none. NULL: the one with most weight of all.
 */
size_t sample_times_find_thread(const struct sample_times *times, const char *text);

/*
 * Time cut into slices of one length, and how the weights of samples fall into them.
 */

/* The last slice also has what ends with it. */
struct time_slices {
	uint64_t begin_ns;
	uint64_t slice_ns; /* above 0 */
	size_t count;
	bool of_times; /* weights are times: a sample's is spread over its own */
};

typedef void (*time_slice_add)(void *context, size_t slice, double weight);

/* Calls `add` for each slice that has a part of the sample's weight; outside of them it is lost. */
void time_slices_spread(const struct time_slices *slices, const struct timed_sample *sample,
	time_slice_add add, void *context);

#endif
