/*
 * Any folded text, drawn: as a flame graph, and as a difference: its first half against its second,
 * and the two weights of each line.
 * Both pictures must be well-formed and, when drawn again, the same bytes.
 */
#include "folded_input.h"

#include "flamegraph/flamegraph.h"
#include "flamegraph/xml_check.h"
#include "profile/folded.h"
#include "profile/profile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct buf *once, const struct buf *again)
{
	if (!xml_is_well_formed(buf_text(once), once->len))
		abort();
	if (once->len != again->len || memcmp(buf_text(once), buf_text(again), once->len) != 0)
		abort();
}

static void
draw(const struct profile *profile)
{
	const struct flamegraph_options options = {.max_frames = 200};
	struct buf once = {0};
	struct buf again = {0};

	flamegraph_write(profile, &options, &once);
	flamegraph_write(profile, &options, &again);
	check(&once, &again);
	buf_release(&once);
	buf_release(&again);
}

static void
draw_difference(const struct profile *before, const struct profile *after, bool plain_costs)
{
	const struct comparison_options compare = {
		.alpha = 0.05, .min_share = 0.01, .plain_costs = plain_costs};
	const struct flamegraph_options options = {
		.max_frames = 200, .icicle = true, .negate = plain_costs};
	struct comparison comparison;
	struct buf once = {0};
	struct buf again = {0};

	comparison_make(&comparison, before, after, &compare);
	flamegraph_write_diff(&comparison, &options, &once);
	flamegraph_write_diff(&comparison, &options, &again);
	check(&once, &again);
	buf_release(&once);
	buf_release(&again);
	comparison_release(&comparison);
}

static void
draw_pair(const char *text, size_t len)
{
	const struct file_view view = {.data = text, .len = len};
	struct err err = {0};
	struct profile both;
	struct run_view sides[2];

	profile_init(&both);
	if (folded_read_pair(&both, "fuzz", &view, &err) == 0) {
		for (size_t i = 0; i < 2; i++) {
			run_view_init(&sides[i], &both);
			run_view_add(&sides[i], i);
		}
		draw_difference(&sides[0].profile, &sides[1].profile, true);
		run_view_release(&sides[1]);
		run_view_release(&sides[0]);
	}
	profile_release(&both);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t half = size / 2;

	while (half < size && text[half] != '\n')
		half++;
	struct profile whole;
	struct profile first;
	struct profile second;
	bool is_whole = read_folded(&whole, text, size);
	bool is_first = read_folded(&first, text, half);
	bool is_second = read_folded(&second, text + half, size - half);

	if (is_whole)
		draw(&whole);
	if (is_first && is_second)
		draw_difference(&first, &second, false);
	draw_pair(text, size);
	profile_release(&whole);
	profile_release(&first);
	profile_release(&second);
	return 0;
}
