#include "profile/operation_words.h"

#include "format/figures.h"

/* ": p50 1.0 ms, p90 1.1 ms, ..." */
static void
put_times(const struct latency *latency, struct buf *out)
{
	static const char *const names[LATENCY_VALUES] = {
		[LATENCY_P50] = "p50",
		[LATENCY_P90] = "p90",
		[LATENCY_P99] = "p99",
		[LATENCY_P99_9] = "p99.9",
		[LATENCY_MAX] = "max",
	};

	for (size_t i = LATENCY_P50; i < LATENCY_VALUES; i++) {
		buf_printf(out, "%s %s ", i > LATENCY_P50 ? "," : ":", names[i]);
		format_cost(out, latency->values[i], "ns");
	}
}

/* How many operations were slow, and their time on the CPU and off it. */
static void
put_slow(const struct operation_words *words, struct buf *out)
{
	const double all = words->latency.values[LATENCY_OPERATIONS];
	const double ns = words->on_ns + words->off_ns;

	if (words->slower_than_ns > 0) {
		buf_puts(out, "; ");
		format_count(out, (double)words->nslow);
		buf_puts(out, " (");
		format_percent(out, (double)words->nslow / all);
		buf_puts(out, ") took longer than ");
		format_cost(out, words->slower_than_ns, "ns");
	}
	if (!(ns > 0))
		return;
	buf_puts(out, words->slower_than_ns > 0 ? ": " : "; together ");
	format_cost(out, ns, "ns");
	buf_puts(out, ", ");
	format_percent(out, words->on_ns / ns);
	buf_puts(out, " on the CPU and ");
	format_percent(out, words->off_ns / ns);
	buf_puts(out, " off");
}

/* Operations that lack their begin or their end. */
static void
put_rest(const struct operation_words *words, struct buf *out)
{
	if (words->unfinished > 0) {
		buf_puts(out, "; ");
		format_count(out, (double)words->unfinished);
		buf_puts(out, " had not ended when the capture did, the oldest after ");
		format_cost(out, words->unfinished_ns, "ns");
	}
	if (words->unended > 0) {
		buf_puts(out, "; ");
		format_count(out, (double)words->unended);
		buf_puts(out, " never came to an end");
	}
	if (words->unbegun > 0) {
		buf_puts(out, "; ");
		format_count(out, (double)words->unbegun);
		buf_puts(out, words->unbegun == 1 ? " end had no begin" : " ends had no begin");
	}
}

void
operation_words_put(const struct operation_words *words, struct buf *out)
{
	const double all = words->latency.values[LATENCY_OPERATIONS];

	format_count(out, all);
	buf_printf(out, " of %s", words->name);
	if (all > 0) {
		put_times(&words->latency, out);
		put_slow(words, out);
	}
	put_rest(words, out);
}
