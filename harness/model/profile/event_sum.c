#include "profile/event_sum.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define BLANKS " \t\r"

struct event_sum
event_sum_single(size_t place)
{
	return (struct event_sum){.terms = {{place, 1}}, .nterms = 1};
}

static void
add(struct event_sum *sum, size_t place, double weight)
{
	size_t at = sum->nterms;

	assert(at < METRIC_EVENTS_MAX);
	for (; at > 0 && sum->terms[at - 1].place > place; at--)
		sum->terms[at] = sum->terms[at - 1];
	sum->terms[at].place = place;
	sum->terms[at].weight = weight;
	sum->nterms++;
}

/* The place of the first event of this name; SIZE_MAX if there is none. */
static size_t
find_event(const char *name, const char *names, size_t len)
{
	const size_t name_len = strlen(name);
	size_t place = 0;

	for (size_t at = 0; at < len;) {
		size_t word = 0;

		while (at + word < len && !strchr(BLANKS, names[at + word]))
			word++;
		if (word == name_len && memcmp(names + at, name, word) == 0)
			return place;
		place += word > 0;
		at += word > 0 ? word : 1;
	}
	return SIZE_MAX;
}

bool
event_sum_of_metric(
	struct event_sum *sum, const struct metric *metric, const char *names, size_t len)
{
	*sum = (struct event_sum){0};
	for (const struct metric_event *of = metric->events; of && of->name; of++) {
		size_t place = find_event(of->name, names, len);

		if (place == SIZE_MAX) {
			*sum = (struct event_sum){0};
			return false;
		}
		add(sum, place, of->weight);
	}
	return sum->nterms > 0;
}
