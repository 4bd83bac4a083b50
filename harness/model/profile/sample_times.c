#include "profile/sample_times.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

void
sample_times_init(struct sample_times *times)
{
	*times = (struct sample_times){0};
	strtab_init(&times->names);
}

void
sample_times_release(struct sample_times *times)
{
	free(times->samples);
	free(times->threads);
	free(times->phases);
	key_map_release(&times->by_tid);
	strtab_release(&times->names);
	*times = (struct sample_times){0};
}

uint32_t
sample_times_thread(struct sample_times *times, uint32_t pid, uint32_t tid)
{
	const size_t before = times->by_tid.count;
	const uint32_t thread = key_map_add(&times->by_tid, key_of_pair(pid, tid));

	if (thread == before) {
		times->threads = mem_grow(times->threads, &times->threads_capacity, before + 1,
			sizeof(*times->threads));
		times->threads[thread] = (struct timed_thread){.pid = pid, .tid = tid};
	}
	return thread;
}

void
sample_times_set_name(struct sample_times *times, size_t thread, const char *name)
{
	times->threads[thread].name = strtab_intern_str(&times->names, name);
}

/* Makes a sample the last of its thread. */
static void
append_sample(struct sample_times *times, size_t at)
{
	struct timed_sample *sample = &times->samples[at];
	struct timed_thread *thread = &times->threads[sample->thread];

	sample->next = SIZE_MAX;
	if (thread->nsamples++ == 0)
		thread->first = at;
	else
		times->samples[thread->last].next = at;
	thread->last = at;
}

void
sample_times_add(struct sample_times *times, const struct timed_sample *sample)
{
	times->samples = mem_grow(times->samples, &times->samples_capacity, times->nsamples + 1,
		sizeof(*times->samples));
	times->samples[times->nsamples] = *sample;
	append_sample(times, times->nsamples++);
	times->threads[sample->thread].weight += sample->weight;
	if (sample->end_ns > times->end_ns)
		times->end_ns = sample->end_ns;
}

void
sample_times_scale(struct sample_times *times, double factor)
{
	for (size_t i = 0; i < times->nsamples; i++)
		times->samples[i].weight *= factor;
	for (size_t i = 0; i < sample_times_nthreads(times); i++)
		times->threads[i].weight *= factor;
}

static void
end_phase(struct sample_times *times, uint64_t end_ns)
{
	if (times->in_phase)
		times->phases[times->nphases - 1].end_ns = end_ns;
	times->in_phase = false;
}

void
sample_times_begin_phase(
	struct sample_times *times, uint64_t begin_ns, const char *name, size_t len)
{
	end_phase(times, begin_ns);
	if (len == 0)
		return;
	times->phases = mem_grow(
		times->phases, &times->phases_capacity, times->nphases + 1, sizeof(*times->phases));
	times->phases[times->nphases++] = (struct timed_phase){
		.begin_ns = begin_ns,
		.name = strtab_intern(&times->names, name, len),
	};
	times->in_phase = true;
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By all that is known, so that the order does not depend on that of arrival. */
static int
compare_samples(const void *a, const void *b)
{
	const struct timed_sample *x = a;
	const struct timed_sample *y = b;
	const int orders[] = {
		compare_numbers(x->end_ns, y->end_ns),
		compare_numbers(x->begin_ns, y->begin_ns),
		compare_numbers(x->thread, y->thread),
		compare_numbers(x->cpu, y->cpu),
		compare_numbers(x->node, y->node),
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (orders[i] != 0)
			return orders[i];
	return (x->weight > y->weight) - (x->weight < y->weight);
}

static bool
is_sorted(const struct sample_times *times)
{
	for (size_t i = 1; i < times->nsamples; i++)
		if (compare_samples(&times->samples[i - 1], &times->samples[i]) > 0)
			return false;
	return true;
}

void
sample_times_finish(struct sample_times *times)
{
	end_phase(times, times->end_ns);
	if (is_sorted(times))
		return;
	qsort(times->samples, times->nsamples, sizeof(*times->samples), compare_samples);
	for (size_t i = 0; i < sample_times_nthreads(times); i++)
		times->threads[i].nsamples = 0;
	for (size_t i = 0; i < times->nsamples; i++)
		append_sample(times, i);
}

static int
compare_gaps(const void *a, const void *b)
{
	return compare_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The median time between two samples of one thread. */
static uint64_t
median_gap(const struct sample_times *times)
{
	uint64_t *last = mem_zalloc(sample_times_nthreads(times) + 1, sizeof(*last));
	uint64_t *gaps = mem_zalloc(times->nsamples + 1, sizeof(*gaps));
	size_t count = 0;

	for (size_t i = 0; i < times->nsamples; i++) {
		const struct timed_sample *sample = &times->samples[i];
		uint64_t *before = &last[sample->thread];

		if (*before > 0 && sample->end_ns > *before)
			gaps[count++] = sample->end_ns - *before;
		*before = sample->end_ns;
	}
	if (count > 1)
		qsort(gaps, count, sizeof(*gaps), compare_gaps);
	uint64_t median = count > 0 ? gaps[count / 2] : 0;

	free(gaps);
	free(last);
	return median;
}

uint64_t
sample_times_interval_ns(const struct sample_times *times, const struct profile *profile)
{
	if (profile->frequency_hz > 0)
		return (uint64_t)llround(1e9 / profile->frequency_hz);
	return median_gap(times);
}

/* Whether the text is the thread's id. */
static bool
is_id(const char *text, uint32_t tid)
{
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	return end != text && *end == '\0' && id == tid;
}

/* '_' in either stands for a blank, too, as in the names of stacks. */
static bool
is_name(const char *text, const char *name)
{
	for (; *text && *name; text++, name++)
		if (*text != *name && !(*text == ' ' && *name == '_') &&
			!(*text == '_' && *name == ' '))
			return false;
	return *text == *name;
}

size_t
sample_times_find_thread(const struct sample_times *times, const char *text)
{
	size_t found = SIZE_MAX;
	bool by_id = false;

	for (size_t i = 0; i < sample_times_nthreads(times); i++) {
		const struct timed_thread *thread = &times->threads[i];
		const bool id = text && is_id(text, thread->tid);

		if (text && !id && !is_name(text, strtab_str(&times->names, thread->name)))
			continue;
		if (found == SIZE_MAX || (id && !by_id) ||
			(id == by_id && thread->weight > times->threads[found].weight))
			found = i;
		by_id |= id;
	}
	return found;
}

/* The slice of a moment that is not before the first; `count` behind the last. */
static size_t
slice_of(const struct time_slices *slices, uint64_t ns)
{
	const uint64_t slice = (ns - slices->begin_ns) / slices->slice_ns;

	return slice < slices->count ? (size_t)slice : slices->count;
}

/* Puts a whole weight at a moment. */
static void
put_moment(const struct time_slices *slices, const struct timed_sample *sample, time_slice_add add,
	void *context)
{
	if (sample->end_ns < slices->begin_ns)
		return;
	size_t slice = slice_of(slices, sample->end_ns);

	if (slice == slices->count &&
		sample->end_ns == slices->begin_ns + slices->count * slices->slice_ns)
		slice--;
	if (slice < slices->count)
		add(context, slice, sample->weight);
}

void
time_slices_spread(const struct time_slices *slices, const struct timed_sample *sample,
	time_slice_add add, void *context)
{
	const uint64_t begin =
		sample->begin_ns > slices->begin_ns ? sample->begin_ns : slices->begin_ns;

	if (!slices->of_times || sample->end_ns <= sample->begin_ns) {
		put_moment(slices, sample, add, context);
		return;
	}
	const double per_ns = sample->weight / (double)(sample->end_ns - sample->begin_ns);

	if (sample->end_ns <= begin)
		return;
	for (size_t slice = slice_of(slices, begin); slice < slices->count; slice++) {
		const uint64_t from = slices->begin_ns + slice * slices->slice_ns;
		const uint64_t to = from + slices->slice_ns;
		const uint64_t first = begin > from ? begin : from;
		const uint64_t last = sample->end_ns < to ? sample->end_ns : to;

		if (last <= first)
			break;
		add(context, slice, per_ns * (double)(last - first));
	}
}
