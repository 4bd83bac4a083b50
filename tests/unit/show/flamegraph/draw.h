/*
 * Flame graphs of folded text, for tests of them.
 */
#ifndef UNIT_FLAMEGRAPH_DRAW_H
#define UNIT_FLAMEGRAPH_DRAW_H

#include "flamegraph/flamegraph.h"
#include "flamegraph/xml_check.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct flamegraph_options plain = {.title = "test"};

static inline void
read_folded(struct profile *profile, const char *text)
{
	struct err err = {0};

	profile_init(profile);
	if (folded_read(profile, "test", text, strlen(text), &err) < 0)
		CU_FAIL("folded text is refused");
}

/* The picture of folded text; buf_release() it. */
static inline struct buf
draw_with(const char *text, const struct flamegraph_options *options)
{
	struct profile profile;
	struct buf out = {0};

	read_folded(&profile, text);
	flamegraph_write(&profile, options, &out);
	profile_release(&profile);
	CU_ASSERT_TRUE(xml_is_well_formed(buf_text(&out), out.len));
	return out;
}

static inline struct buf
draw(const char *text)
{
	return draw_with(text, &plain);
}

static inline struct buf
draw_difference(const char *before, const char *after)
{
	const struct comparison_options options = {.alpha = 0.05, .min_share = 0.01};
	struct comparison comparison;
	struct profile sides[2];
	struct buf out = {0};

	read_folded(&sides[0], before);
	read_folded(&sides[1], after);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	flamegraph_write_diff(&comparison, &plain, &out);
	comparison_release(&comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	CU_ASSERT_TRUE(xml_is_well_formed(buf_text(&out), out.len));
	return out;
}

static inline size_t
count(const struct buf *out, const char *part)
{
	size_t n = 0;

	for (const char *at = buf_text(out); (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

/* Class, x and width of the box whose tooltip begins with `name`; false if there is none. */
static inline bool
find_box(const struct buf *out, const char *name, char class[16], double *x, double *width)
{
	char tooltip[128];
	const char *start;

	snprintf(tooltip, sizeof(tooltip), "<title>%s\n", name);
	const char *found = strstr(buf_text(out), tooltip);

	if (!found)
		return false;
	for (start = found; memcmp(start, "<path", 5) != 0; start--)
		;
	return sscanf(start, "<path class=\"%15[^\"]\" d=\"M%lf %*dh%lf", class, x, width) == 3;
}

#endif
