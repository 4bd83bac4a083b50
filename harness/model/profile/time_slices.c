#include "profile/time_slices.h"

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
