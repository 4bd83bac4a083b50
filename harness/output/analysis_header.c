#include "output/analysis_header.h"

#include "base/escape.h"
#include "output/text.h"
#include "output/words.h"
#include "profile/disturbance.h"
#include "profile/quality.h"
#include "profile/weights.h"

#define FIELD_COLUMNS 12

static struct buf *
field(struct buf *out, const char *name)
{
	/* A long one is no less apart from its value. */
	buf_printf(out, "%-*s ", FIELD_COLUMNS - 1, name);
	return out;
}

static void
put_string(struct buf *out, const char *name, const struct profile *profile, str_id id)
{
	if (id == 0)
		return;
	field(out, name);
	escape_utf8(out, strtab_str(&profile->strings, id), strtab_len(&profile->strings, id));
	buf_putc(out, '\n');
}

bool
analysis_is_measured(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		if (!profile->runs[i].measured)
			return false;
	}
	return profile->nruns > 0;
}

/* A value that may take several lines. */
static void
put_wrapped(struct buf *out, const char *name, const struct buf *value)
{
	struct buf wrapped;

	buf_init(&wrapped);
	text_wrap(&wrapped, buf_text(value), FIELD_COLUMNS);
	buf_puts(field(out, name), buf_text(&wrapped) + FIELD_COLUMNS);
	buf_release(&wrapped);
}

static void
put_sampling(const struct profile *profile, struct buf *out)
{
	const struct strtab *strings = &profile->strings;
	struct buf text;

	if (profile->event == 0 && profile->frequency_hz <= 0)
		return;
	buf_init(&text);
	buf_puts(&text, strtab_str(strings, profile->event));
	if (profile->frequency_hz > 0) {
		buf_puts(&text, profile->event ? " at " : "");
		buf_put_number(&text, profile->frequency_hz);
		buf_puts(&text, " Hz");
	}
	if (profile->callgraph)
		buf_printf(&text, ", call graph %s", strtab_str(strings, profile->callgraph));
	if (profile->callgraph && profile->callgraph_why)
		buf_printf(&text, " (%s)", strtab_str(strings, profile->callgraph_why));
	put_wrapped(out, weights_are_counted(profile) ? "counting" : "sampling", &text);
	buf_release(&text);
}

static void
put_duration(const struct profile *profile, struct buf *out)
{
	field(out, "duration");
	if (profile->duration_s > 0)
		words_duration(out, profile->duration_s);
	else
		buf_puts(out, "not known");
	buf_puts(out, ", ");
	words_plural(out, profile->nruns, "run", "runs");
	buf_putc(out, '\n');
}

/* What the kernel delivered, against what the clock says it should have. */
static void
put_validity(const struct profile *profile, struct buf *out)
{
	double expected = 0;
	double got = 0;
	double lost = 0;
	double throttled = 0;
	const struct quality_stacks stacks = quality_count_stacks(profile);

	for (size_t i = 0; i < profile->nruns; i++) {
		expected += profile->runs[i].expected_samples;
		got += (double)profile->runs[i].samples;
		lost += (double)profile->runs[i].lost;
		throttled += (double)profile->runs[i].throttled;
	}
	field(out, "validity");
	if (!analysis_is_measured(profile)) {
		buf_puts(out, "not known: the input does not tell what was lost\n");
		return;
	}
	words_count(out, got);
	if (expected > 0) {
		buf_printf(out, " %s of ", weights_noun(profile));
		words_count(out, expected);
		buf_puts(out, " expected (");
		effect_put_ratio(got / expected, out);
		buf_putc(out, ')');
	} else {
		buf_printf(out, " %s", weights_noun(profile));
	}
	buf_puts(out, ", lost ");
	words_count(out, lost);
	buf_puts(out, ", throttled ");
	words_count(out, throttled);
	buf_puts(out, ", incomplete stacks ");
	words_count(out, (double)(stacks.broken + stacks.truncated));
	buf_putc(out, '\n');
}

/* What the marks of incomplete stacks hold of the weight: they are in no table of functions. */
static void
put_marks(const struct profile *profile, struct buf *out)
{
	static const char *const marks[] = {FRAME_BROKEN, FRAME_TRUNCATED};
	size_t told = 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		double share = quality_marked_share(profile, marks[i]);

		if (!(share > 0))
			continue;
		buf_puts(out, told++ > 0 ? ", " : "");
		effect_put_ratio(share, out);
		buf_printf(out, " below %s", marks[i]);
	}
	if (told > 0)
		buf_puts(out, ", in stacks that do not reach their outermost frame");
}

/* Nothing where all stacks are complete, as far as is known. */
static void
put_stacks(const struct profile *profile, struct buf *out)
{
	struct buf text;

	buf_init(&text);
	quality_put_stacks(profile, &text);
	if (text.len == 0)
		put_marks(profile, &text);
	if (text.len > 0)
		put_wrapped(out, "stacks", &text);
	buf_release(&text);
}

/* Nothing where nothing did, as far as is known. */
static void
put_disturbance(const struct profile *profile, struct buf *out)
{
	struct buf text;

	buf_init(&text);
	disturbance_put(profile, &text);
	if (text.len > 0)
		put_wrapped(out, "disturbed", &text);
	buf_release(&text);
}

static void
put_symbols(const struct profile *profile, const struct functions *functions, double all,
	struct buf *out)
{
	double unknown = 0;

	for (frame_id frame = 1; frame < functions->nfunctions; frame++) {
		if (frame_name_is_unknown(profile_frame_name(profile, frame)))
			unknown += functions_self(functions, frame, 0, profile->nruns);
	}
	field(out, "symbols");
	if (all > 0) {
		effect_put_ratio(1 - unknown / all, out);
		buf_printf(out, " of the %s %s in a function with a name, ", weights_noun(profile),
			weights_are_counted(profile) ? "are" : "end");
		effect_put_ratio(unknown / all, out);
		buf_puts(out, " do not\n");
	} else {
		buf_printf(out, "no %s\n", weights_noun(profile));
	}
}

void
analysis_put_header(const struct profile *profile, const struct functions *functions, double all,
	struct buf *out)
{
	put_string(out, "workload", profile, profile->workload);
	if (profile->command != profile->workload)
		put_string(out, "command", profile, profile->command);
	field(out, "date");
	words_time(out, profile->started);
	buf_putc(out, '\n');
	put_duration(profile, out);
	put_sampling(profile, out);
	field(out, weights_noun(profile));
	words_count(out, all);
	buf_putc(out, '\n');
	put_symbols(profile, functions, all, out);
	put_validity(profile, out);
	put_stacks(profile, out);
	put_disturbance(profile, out);
	put_string(out, "machine", profile, profile->host);
}
