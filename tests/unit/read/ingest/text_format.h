/*
 * What a reader of a text format makes of a text.
 */
#ifndef INGEST_TEXT_FORMAT_H
#define INGEST_TEXT_FORMAT_H

#include "ingest/ingest.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "unit.h"

#include <string.h>

/* Reads it as the file "x.json". The profile has to be released in any case. */
static inline int
text_format_read(const struct input_format *format, struct profile *profile, const char *text,
	struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = NULL};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	CU_ASSERT_PTR_EQUAL(ingest_find_format(view.data, view.len), format);
	return format->read(profile, &view, "x.json", &options, err);
}

static inline void
text_format_reads(
	const struct input_format *format, const char *text, const char *unit, const char *folded)
{
	struct profile profile;
	struct err err;
	const int result = text_format_read(format, &profile, text, &err);

	UNIT_STR_EQ(err.text, "");
	CU_ASSERT_EQUAL_FATAL(result, 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), unit);
	profile_release(&profile);
}

static inline void
text_format_refuses(const struct input_format *format, const char *text, const char *what)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL(text_format_read(format, &profile, text, &err), -1);
	UNIT_CONTAINS(err.text, what);
	profile_release(&profile);
}

#endif
