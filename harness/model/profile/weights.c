#include "profile/weights.h"

#include "base/escape.h"
#include "base/log.h"
#include "format/figures.h"
#include "profile/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Doubles hold every whole number up to this. */
#define SAMPLES_MAX 9007199254740992.0

static bool
unit_is(const struct profile *profile, const char *unit)
{
	return strcmp(strtab_str(&profile->strings, profile->unit), unit) == 0;
}

bool
weights_are_samples(const struct profile *profile)
{
	return unit_is(profile, "") || unit_is(profile, "samples");
}

bool
weights_are_periods(const struct profile *profile)
{
	return strcmp(strtab_str(&profile->strings, profile->weight), WEIGHT_PERIOD) == 0;
}

bool
weights_sample_cpu_time(const struct profile *profile)
{
	const char *event = strtab_str(&profile->strings, profile->event);

	return weights_are_samples(profile) && profile->frequency_hz > 0 &&
	       (!*event || strstr(event, "clock") ||
		       (strstr(event, "cycles") && !strstr(event, "stalled")) ||
		       strcmp(event, "samples") == 0 || strcmp(event, "cpu") == 0);
}

bool
weights_are_counted(const struct profile *profile)
{
	const char *metric = strtab_str(&profile->strings, profile->metric);
	const char *unit = strtab_str(&profile->strings, profile->unit);

	/* Sampled instructions can have the unit of counted ones, and the event's name as metric.
	 */
	return !weights_are_periods(profile) && metric_counts_in(metric, unit);
}

bool
weights_are_syscalls(const struct profile *profile)
{
	return weights_are_counted(profile) && unit_is(profile, "calls");
}

bool
weights_follow_speed(const struct profile *profile)
{
	return weights_are_samples(profile) || weights_are_periods(profile) ||
	       weights_are_times(profile);
}

bool
weights_are_times(const struct profile *profile)
{
	return unit_is(profile, "ns");
}

const char *
weights_growth_word(const struct profile *profile)
{
	return weights_follow_speed(profile) ? "slower" : "more";
}

const char *
weights_unit(const struct profile *profile)
{
	return profile->unit ? strtab_str(&profile->strings, profile->unit) : "samples";
}

const char *
weights_noun(const struct profile *profile)
{
	return weights_are_times(profile) ? "time" : weights_unit(profile);
}

const char *
weights_verb(const struct profile *profile)
{
	return weights_are_times(profile) ? "is" : "are";
}

const char *
weights_samples_noun(const struct profile *profile)
{
	return weights_are_times(profile) || weights_are_periods(profile) ? "samples"
									  : weights_unit(profile);
}

void
weights_put(const struct profile *profile, double weight, struct buf *out)
{
	if (weights_are_times(profile))
		format_cost(out, weight, "ns");
	else
		format_count(out, weight);
}

const char *
weights_cost_unit(const struct profile *profile)
{
	const char *cost = strtab_str(&profile->strings, profile->cost_unit);

	return *cost ? cost : weights_unit(profile);
}

double
weights_samples_sum(const struct profile *profile)
{
	double samples = 0;

	for (size_t i = 0; i < profile->nruns; i++)
		samples += (double)profile->runs[i].samples;
	return samples;
}

double
weights_effective_sum(const struct profile *profile)
{
	double sum = 0;
	double squares = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		double weight = profile_column_total(profile, i);

		sum += weight;
		if (weight > 0)
			squares += weight * weight / run_effective_samples(&profile->runs[i]);
	}
	return sum > 0 ? sum * sum / squares : 0;
}

void
weights_set_periods(
	struct profile *profile, struct run *run, double samples, double effective_samples)
{
	profile->weight = strtab_intern_str(&profile->strings, WEIGHT_PERIOD);
	if (!(samples >= 1 && samples <= SAMPLES_MAX))
		return;
	run->samples = (uint64_t)samples;
	if (effective_samples > 0)
		run->effective_samples = fmin(effective_samples, samples);
}

/* Modifiers of how a sample is taken, not of which events count: perf adds them by itself. */
#define PRECISION "pP"

static bool
is_modifiers(struct text_part text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] == '\0' || !strchr("ukhIGHpPSDWebR", text.at[i]))
			return false;
	return true;
}

struct event_parts
event_parts_of(const char *name)
{
	const char *end = name + strlen(name);
	const char *first = strchr(name, '/');
	const char *last = strrchr(name, '/');

	if (first && first != name && first != last) {
		const struct text_part modifiers = {last + 1, (size_t)(end - last) - 1};

		if (is_modifiers(modifiers))
			return (struct event_parts){{name, (size_t)(first - name)},
				{first + 1, (size_t)(last - first) - 1}, modifiers};
	}
	const char *colon = strrchr(name, ':');
	const struct text_part modifiers =
		colon && colon > name ? (struct text_part){colon + 1, (size_t)(end - colon) - 1}
				      : (struct text_part){end, 0};

	if (modifiers.len == 0 || !is_modifiers(modifiers))
		return (struct event_parts){{name, 0}, {name, (size_t)(end - name)}, {end, 0}};
	return (struct event_parts){{name, 0}, {name, (size_t)(colon - name)}, modifiers};
}

bool
text_part_is(struct text_part a, struct text_part b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* Whether all letters of `a` are in `b`, but for those of precision. */
static bool
are_in(struct text_part a, struct text_part b)
{
	for (size_t i = 0; i < a.len; i++)
		if (!strchr(PRECISION, a.at[i]) && !memchr(b.at, a.at[i], b.len))
			return false;
	return true;
}

bool
event_parts_same_modifiers(struct text_part a, struct text_part b)
{
	return are_in(a, b) && are_in(b, a);
}

static const char *
event_of(const struct profile *profile)
{
	return strtab_str(&profile->strings, profile->event);
}

static const char *
metric_of(const struct profile *profile)
{
	return strtab_str(&profile->strings, profile->metric);
}

/* Whether samples of the event are of CPU time, as readers name the events of their formats. */
static bool
is_of_cpu_time(struct text_part event)
{
	static const char *const names[] = {
		"cpu-clock", "task-clock", "cycles", "cpu-cycles", "cpu", "samples", "gprof"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_part_is(event, (struct text_part){names[i], strlen(names[i])}))
			return true;
	return false;
}

/* The name of an event by which users may have called it. */
static struct text_part
plain_name(const char *event)
{
	static const char *const aliases[][2] = {
		{"faults", "page-faults"},
		{"cs", "context-switches"},
		{"migrations", "cpu-migrations"},
		{"branch-instructions", "branches"},
		{"cpu-cycles", "cycles"},
	};
	const struct text_part term = event_parts_of(event).term;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (text_part_is(term, (struct text_part){aliases[i][0], strlen(aliases[i][0])}))
			return (struct text_part){aliases[i][1], strlen(aliases[i][1])};
	return term;
}

static bool
are_of_one_event(const char *a, const char *b)
{
	const struct text_part one = plain_name(a);
	const struct text_part other = plain_name(b);

	return one.len == 0 || other.len == 0 || text_part_is(one, other) ||
	       (is_of_cpu_time(one) && is_of_cpu_time(other));
}

bool
quantity_is_same(const struct profile *a, const struct profile *b)
{
	if (weights_are_samples(a) && weights_are_samples(b))
		return are_of_one_event(event_of(a), event_of(b));
	if (!text_part_is(plain_name(weights_unit(a)), plain_name(weights_unit(b))))
		return false;
	if (*metric_of(a) && *metric_of(b))
		return strcmp(metric_of(a), metric_of(b)) == 0;
	return are_of_one_event(event_of(a), event_of(b));
}

/* "ns of offcpu", "samples of page-faults", "samples (no unit is stated)". */
static void
quantity_put(const struct profile *profile, struct buf *out)
{
	const char *unit = weights_unit(profile);
	const char *of = weights_are_samples(profile) || !*metric_of(profile) ? event_of(profile)
									      : metric_of(profile);

	escape_utf8(out, unit, strlen(unit));
	if (*of && strcmp(of, unit) != 0) {
		buf_puts(out, " of ");
		escape_utf8(out, of, strlen(of));
	} else if (profile->unit == 0) {
		buf_puts(out, " (no unit is stated)");
	}
}

/* Folded text of other tools may be of any quantity, and does not say so. */
static void
note_unstated(const struct profile *profile, const char *name, const struct profile *other,
	struct err *err)
{
	struct buf unit = {0};

	if (profile->unit != 0 || profile->event != 0 || weights_are_samples(other))
		return;
	escape_utf8(&unit, weights_unit(other), strlen(weights_unit(other)));
	err_note(err, "if the weights of %s are in %s, a first line '# unit: %s' in it says so",
		name, buf_text(&unit), buf_text(&unit));
	buf_release(&unit);
}

/* Weighed by its period, a sample has the unit of its event. */
static void
note_weighed(const struct profile *a, const struct profile *b, struct err *err)
{
	if ((weights_are_periods(a) && weights_are_samples(b)) ||
		(weights_are_samples(a) && weights_are_periods(b)))
		err_note(err,
			"samples weigh their periods on one side only: '--weight samples' counts them "
			"on both, where the input has them");
}

/* One quantity, but a clock is no counter of cycles, and one counts the kernel, the other not.
 */
static void
warn_of_events(
	const struct profile *a, const char *a_name, const struct profile *b, const char *b_name)
{
	const struct event_parts one = event_parts_of(event_of(a));
	const struct event_parts other = event_parts_of(event_of(b));
	struct buf events[2] = {0};

	if (!weights_are_samples(a) || one.term.len == 0 || other.term.len == 0 ||
		(text_part_is(plain_name(event_of(a)), plain_name(event_of(b))) &&
			event_parts_same_modifiers(one.modifiers, other.modifiers)))
		return;
	escape_utf8(&events[0], event_of(a), strlen(event_of(a)));
	escape_utf8(&events[1], event_of(b), strlen(event_of(b)));
	log_warn("%s was sampled with %s, %s with %s", a_name, buf_text(&events[0]), b_name,
		buf_text(&events[1]));
	buf_release(&events[0]);
	buf_release(&events[1]);
}

int
quantity_check(const struct profile *a, const char *a_name, const struct profile *b,
	const char *b_name, bool force, struct err *err)
{
	struct buf one = {0};
	struct buf other = {0};
	int result = 0;

	if (quantity_is_same(a, b)) {
		warn_of_events(a, a_name, b, b_name);
		return 0;
	}
	quantity_put(a, &one);
	quantity_put(b, &other);
	if (force) {
		log_warn("the weights of %s are in %s, those of %s in %s: compared as they are",
			a_name, buf_text(&one), b_name, buf_text(&other));
	} else {
		result = err_set(err, ERR_INPUT,
			"different quantities: the weights of %s are in %s, those of %s in %s",
			a_name, buf_text(&one), b_name, buf_text(&other));
		note_unstated(a, a_name, b, err);
		note_unstated(b, b_name, a, err);
		note_weighed(a, b, err);
		err_note(err, "'--force-units' compares the numbers as they are");
	}
	buf_release(&one);
	buf_release(&other);
	return result;
}
