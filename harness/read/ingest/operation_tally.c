/*
 * Counts the operations of a perf.data file, and adds up their times.
 */
#include "base/mem.h"
#include "ingest/ingest_internal.h"
#include "ingest/perfdata_internal.h"
#include "profile/operation_words.h"

#include <stdlib.h>

void
operation_tally_add(struct operation_tally *tally, struct operation_mark mark)
{
	tally->times =
		mem_grow(tally->times, &tally->capacity, tally->count + 1, sizeof(*tally->times));
	tally->times[tally->count++] = (double)mark.ns;
	tally->nslow += mark.slow;
}

void
operation_tally_add_time(struct operation_tally *tally, uint64_t ns, bool on_cpu)
{
	*(on_cpu ? &tally->on_ns : &tally->off_ns) += (double)ns;
}

void
operation_tally_release(struct operation_tally *tally)
{
	free(tally->times);
	*tally = (struct operation_tally){.count = 0};
}

static struct operation_words
words_of(struct operation_tally *tally, const struct slow_operations *operations)
{
	const struct operation_rest rest = slow_operations_rest(operations);
	struct operation_words words = {
		.name = slow_operations_name(operations),
		.slower_than_ns = (double)slow_operations_slower_than_ns(operations),
		.nslow = tally->nslow,
		.on_ns = tally->on_ns,
		.off_ns = tally->off_ns,
		.unended = rest.unended,
		.unbegun = rest.unbegun,
		.unfinished = rest.unfinished,
		.unfinished_ns = (double)rest.unfinished_ns,
	};

	latency_of_times(tally->times, tally->count, &words.latency);
	return words;
}

int
operation_tally_check(struct operation_tally *tally, const struct slow_operations *operations,
	const char *path, bool may_be_empty, struct err *err)
{
	const struct operation_words words = words_of(tally, operations);
	struct buf text = {0};

	if (tally->count > 0 && (tally->nslow > 0 || may_be_empty))
		return 0;
	if (tally->count > 0)
		err_set(err, ERR_INPUT, "%s: no operation took as long", path);
	else
		err_set(err, ERR_INPUT, "%s: no operation of %s ended while it was recorded", path,
			slow_operations_name(operations));
	operation_words_put(&words, &text);
	if (tally->count > 0 || words.unfinished + words.unended + words.unbegun > 0)
		err_note(err, "%s", buf_text(&text));
	if (tally->count == 0)
		err_note(err,
			"calls that the compiler inlined do not come to a function's entry, nor do "
			"jumps into its middle");
	buf_release(&text);
	return -1;
}

void
operation_tally_describe(struct operation_tally *tally, const struct slow_operations *operations,
	struct profile *profile)
{
	const struct operation_words words = words_of(tally, operations);
	struct buf text = {0};

	operation_words_put(&words, &text);
	describe_set(profile, &profile->operations, buf_text(&text));
	buf_release(&text);
}
