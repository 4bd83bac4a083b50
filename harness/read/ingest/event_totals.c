#include "ingest/event_totals.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/unit.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <string.h>

/* So much of a list of events is shown. */
#define LIST_MAX 1000
/* The PMUs of a CPU's cores, as the kernel names them on x86 and on Arm. */
static bool
is_of_cores(struct text_part pmu)
{
	static const char *const prefixes[] = {"cpu", "armv7_", "armv8_", "armv9_", "apple_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (pmu.len >= strlen(prefixes[i]) &&
			memcmp(pmu.at, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Whether one is on some cores what the other is on others. */
static bool
are_of_one_quantity(const struct event_total *a, const struct event_total *b)
{
	const struct event_parts one = event_parts_of(a->name);
	const struct event_parts other = event_parts_of(b->name);

	if (strcmp(a->name, b->name) == 0)
		return a->pmu != b->pmu;
	return is_of_cores(one.pmu) && is_of_cores(other.pmu) &&
	       !text_part_is(one.pmu, other.pmu) && text_part_is(one.term, other.term) &&
	       event_parts_same_modifiers(one.modifiers, other.modifiers);
}

/* How a name can be the wanted one, the best first. */
enum match { MATCH_EXACT, MATCH_BUT_PRECISION, MATCH_BUT_MODIFIERS, MATCHES };

static bool
matches(const char *wanted, const char *name, enum match match)
{
	const struct event_parts one = event_parts_of(wanted);
	const struct event_parts other = event_parts_of(name);

	if (match == MATCH_EXACT)
		return strcmp(wanted, name) == 0;
	return text_part_is(one.term, other.term) &&
	       ((match == MATCH_BUT_MODIFIERS && one.modifiers.len == 0) ||
		       event_parts_same_modifiers(one.modifiers, other.modifiers)) &&
	       (text_part_is(one.pmu, other.pmu) || (one.pmu.len == 0 && is_of_cores(other.pmu)));
}

bool
event_name_is(const char *wanted, const char *name)
{
	return matches(wanted, name, MATCH_EXACT) || matches(wanted, name, MATCH_BUT_MODIFIERS);
}

char *
event_name_quantity(const char *name)
{
	const struct event_parts parts = event_parts_of(name);

	if (parts.pmu.len == 0 || is_of_cores(parts.pmu))
		return mem_dup(parts.term.at, parts.term.len);
	/* "msr/tsc" of "msr/tsc/" */
	return mem_dup(name, (size_t)(parts.term.at + parts.term.len - name));
}

/* "12.3 ms in ", unless that is the number of samples. */
static void
put_weight(const struct event_total *total, struct buf *out)
{
	if (total->weight == (double)total->samples)
		return;
	if (event_name_is("cpu-clock", total->name) || event_name_is("task-clock", total->name))
		format_cost(out, total->weight, UNIT_NS);
	else
		format_count(out, total->weight);
	buf_puts(out, " in ");
}

static void
list(const struct event_total *totals, size_t count, bool with_totals, struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < count; i++) {
		const struct event_total *total = &totals[i];

		if (with_totals && (total->samples == 0 || total->is_unlisted))
			continue;
		if (out->len > LIST_MAX) {
			buf_puts(out, ", ...");
			return;
		}
		buf_printf(out, "%s%s", comma, *total->name ? total->name : "(unnamed)");
		comma = ", ";
		if (!with_totals)
			continue;
		buf_puts(out, " (");
		put_weight(total, out);
		format_plural(out, total->samples, "sample", "samples");
		buf_puts(out, ")");
	}
}

static int
refuse_event(const struct event_total *totals, size_t count, const char *path, const char *wanted,
	bool several, struct err *err)
{
	struct buf names = {0};

	if (several)
		err_set(err, ERR_INPUT,
			"%s: several of its events are '%s': give one of them exactly", path,
			wanted);
	else
		err_set(err, ERR_INPUT, "%s: has no event '%s'", path, wanted);
	list(totals, count, false, &names);
	err_note(err, "its events are: %s", buf_text(&names));
	buf_release(&names);
	return -1;
}

/* Chooses what `wanted` names in the best way in which there is any; false: there is none. */
static bool
choose_wanted(struct event_total *totals, size_t count, const char *wanted)
{
	bool any = false;

	for (enum match match = MATCH_EXACT; match < MATCHES && !any; match++)
		for (size_t i = 0; i < count; i++) {
			totals[i].chosen = matches(wanted, totals[i].name, match);
			any |= totals[i].chosen;
		}
	return any;
}

/* For more events than a CPU counts none are looked for that belong together. */
#define GROUPED_MAX 1024

/* The weight of the event and of those that are read with it. */
static double
weight_of_quantity(const struct event_total *totals, size_t count, size_t event)
{
	double weight = totals[event].weight;

	for (size_t i = 0; i < count && count <= GROUPED_MAX; i++)
		if (i != event && are_of_one_quantity(&totals[i], &totals[event]))
			weight += totals[i].weight;
	return weight;
}

/* The event whose quantity has most weight, of secondary ones or of others; `count`: none has. */
static size_t
find_largest(const struct event_total *totals, size_t count, bool secondary)
{
	size_t best = count;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		if (totals[i].secondary != secondary || totals[i].samples == 0)
			continue;
		const double weight = weight_of_quantity(totals, count, i);

		if (best == count || weight > most) {
			most = weight;
			best = i;
		}
	}
	return best;
}

/* Where none has samples, the last event that is not secondary. */
static void
choose_largest(struct event_total *totals, size_t count)
{
	size_t best = find_largest(totals, count, false);

	if (best == count)
		best = find_largest(totals, count, true);
	for (size_t i = count; best == count && i-- > 0;)
		if (!totals[i].secondary || i == 0)
			best = i;
	for (size_t i = 0; i < count; i++)
		totals[i].chosen = i == best || are_of_one_quantity(&totals[i], &totals[best]);
}

/* Among events with the same name and PMU the first with samples: they cannot be distinguished. */
static void
leave_first_of_equals(struct event_total *totals, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && totals[i].chosen; k++) {
			if (!totals[k].chosen || strcmp(totals[i].name, totals[k].name) != 0 ||
				totals[i].pmu != totals[k].pmu)
				continue;
			if (totals[i].samples == 0)
				totals[i].chosen = false;
			else
				totals[k].chosen = false;
		}
}

int
event_totals_choose(struct event_total *totals, size_t count, const char *path, const char *wanted,
	size_t *largest, struct err *err)
{
	if (!wanted)
		choose_largest(totals, count);
	else if (!choose_wanted(totals, count, wanted))
		return refuse_event(totals, count, path, wanted, false, err);
	leave_first_of_equals(totals, count);
	*largest = count;
	for (size_t i = 0; i < count; i++)
		if (totals[i].chosen &&
			(*largest == count || totals[i].weight > totals[*largest].weight))
			*largest = i;
	for (size_t i = 0; i < count; i++)
		if (totals[i].chosen && i != *largest &&
			!are_of_one_quantity(&totals[i], &totals[*largest]))
			return refuse_event(totals, count, path, wanted, true, err);
	return 0;
}

void
event_totals_warn(const struct event_total *totals, size_t count, const char *path)
{
	struct buf read = {0};
	struct buf all = {0};
	bool others = false;

	for (size_t i = 0; i < count; i++) {
		others |= !totals[i].chosen && totals[i].samples > 0 && !totals[i].is_unlisted;
		if (totals[i].chosen && totals[i].samples > 0)
			buf_printf(&read, "%s%s", read.len > 0 ? " and " : "",
				*totals[i].name ? totals[i].name : "(unnamed)");
	}
	list(totals, count, true, &all);
	if (others)
		log_warn("%s: the samples of %s are read; --event takes others: %s", path,
			buf_text(&read), buf_text(&all));
	buf_release(&read);
	buf_release(&all);
}
