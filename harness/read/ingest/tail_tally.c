#include "ingest/tail_tally.h"

#include "base/mem.h"
#include "ingest/describe.h"
#include "profile/operation_words.h"

#include <stdlib.h>

void
tail_tally_operation(struct tail_tally *tally, struct tail_mark mark)
{
	tally->times =
		mem_grow(tally->times, &tally->capacity, tally->count + 1, sizeof(*tally->times));
	tally->times[tally->count++] = (double)mark.ns;
	tally->nslow += mark.slow;
}

void
tail_tally_time(struct tail_tally *tally, struct timeline_entry entry)
{
	if (entry.kind == WAIT_NONE || entry.kind == WAIT_UNSAMPLED)
		tally->on_ns += (double)entry.ns;
	else
		tally->off_ns += (double)(entry.ns + entry.queued_ns);
}

void
tail_tally_release(struct tail_tally *tally)
{
	free(tally->times);
	*tally = (struct tail_tally){.count = 0};
}

static struct operation_words
words_of(struct tail_tally *tally, const struct tail *tail)
{
	const struct tail_rest rest = tail_rest(tail);
	struct operation_words words = {
		.name = tail_name(tail),
		.slower_than_ns = (double)tail_slower_than_ns(tail),
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
tail_tally_check(struct tail_tally *tally, const struct tail *tail, const char *path,
	bool may_be_empty, struct err *err)
{
	const struct operation_words words = words_of(tally, tail);
	struct buf text = {0};

	if (tally->count > 0 && (tally->nslow > 0 || may_be_empty))
		return 0;
	if (tally->count > 0)
		err_set(err, ERR_INPUT, "%s: no operation took as long", path);
	else
		err_set(err, ERR_INPUT, "%s: no operation of %s ended while it was recorded", path,
			tail_name(tail));
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
tail_tally_describe(struct tail_tally *tally, const struct tail *tail, struct profile *profile)
{
	const struct operation_words words = words_of(tally, tail);
	struct buf text = {0};

	operation_words_put(&words, &text);
	describe_set(profile, &profile->operations, buf_text(&text));
	buf_release(&text);
}
