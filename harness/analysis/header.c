#include "analysis/header.h"

#include "analysis/sentences.h"
#include "format/figures.h"
#include "profile/disturbance.h"
#include "profile/quality.h"
#include "profile/weights.h"

#include <math.h>

#define FIELD_COLUMNS 12

static struct buf *
field(struct buf *out, const char *name)
{
	/* A long one is no less apart from its value. */
	buf_printf(out, "%-*s ", FIELD_COLUMNS - 1, name);
	return out;
}

/* A value that may take several lines; none where there is nothing to say. */
static void
put_wrapped(struct buf *out, const char *name, const char *value, size_t columns)
{
	if (*value)
		analysis_wrap(field(out, name), value, FIELD_COLUMNS, columns, false);
}

static void
put_string(
	struct buf *out, const char *name, const struct profile *profile, str_id id, size_t columns)
{
	put_wrapped(out, name, strtab_str(&profile->strings, id), columns);
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

static void
put_sampling(const struct profile *profile, size_t columns, struct buf *out)
{
	const struct strtab *strings = &profile->strings;
	struct buf text = {0};

	if (profile->event == 0 && profile->frequency_hz <= 0)
		return;
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
	put_wrapped(out, weights_are_counted(profile) ? "counting" : "sampling", buf_text(&text),
		columns);
	buf_release(&text);
}

static void
put_duration(const struct profile *profile, struct buf *out)
{
	field(out, "duration");
	if (profile->duration_s > 0)
		format_duration(out, profile->duration_s);
	else
		buf_puts(out, "not known");
	buf_puts(out, ", ");
	format_plural(out, profile->nruns, "run", "runs");
	buf_putc(out, '\n');
}

static bool
losses_are_known(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++)
		if (!profile->runs[i].measured && !profile->runs[i].delivered)
			return false;
	return true;
}

/* What the kernel delivered, against what the clock says it should have. */
static void
put_validity(const struct profile *profile, size_t columns, struct buf *out)
{
	struct buf text = {0};
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
	if (!losses_are_known(profile)) {
		put_wrapped(out, "validity", "not known: the input does not tell what was lost",
			columns);
		return;
	}
	format_count(&text, got);
	if (expected > 0) {
		buf_printf(&text, " %s of ", weights_noun(profile));
		format_count(&text, round(expected));
		buf_puts(&text, " expected (");
		format_percent(&text, got / expected);
		buf_putc(&text, ')');
	} else {
		buf_printf(&text, " %s", weights_noun(profile));
	}
	buf_puts(&text, ", lost ");
	format_count(&text, lost);
	buf_puts(&text, ", throttled ");
	format_count(&text, throttled);
	buf_puts(&text, ", incomplete stacks ");
	format_count(&text, (double)(stacks.broken + stacks.truncated));
	put_wrapped(out, "validity", buf_text(&text), columns);
	buf_release(&text);
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
		format_percent(out, share);
		buf_printf(out, " below %s", marks[i]);
	}
	if (told > 0)
		buf_puts(out, ", in stacks that do not reach their outermost frame");
}

/* Nothing where all stacks are complete, as far as is known. */
static void
put_stacks(const struct profile *profile, size_t columns, struct buf *out)
{
	struct buf text = {0};

	quality_put_stacks(profile, &text);
	if (text.len == 0)
		put_marks(profile, &text);
	put_wrapped(out, "stacks", buf_text(&text), columns);
	buf_release(&text);
}

/* Nothing where nothing did, as far as is known. */
static void
put_disturbance(const struct profile *profile, size_t columns, struct buf *out)
{
	struct buf text = {0};

	disturbance_put(profile, &text);
	put_wrapped(out, "disturbed", buf_text(&text), columns);
	buf_release(&text);
}

static void
put_symbols(const struct analysis_data *data, size_t columns, struct buf *out)
{
	const struct profile *profile = data->profile;
	double unknown = 0;
	struct buf text = {0};

	for (size_t i = 0; i < data->nranked; i++)
		if (frame_name_is_unknown(profile_frame_name(profile, data->ranked[i].frame)))
			unknown += data->ranked[i].self;
	if (data->all > 0) {
		analysis_put_share(&text, data, data->all - unknown);
		buf_printf(&text, " of the %s %s in a function with a name, ",
			weights_noun(profile), weights_are_counted(profile) ? "are" : "end");
		analysis_put_share(&text, data, unknown);
		buf_puts(&text, " do not");
	} else {
		buf_printf(&text, "no %s", weights_noun(profile));
	}
	put_wrapped(out, "symbols", buf_text(&text), columns);
	buf_release(&text);
}

/* What the profile was reduced to: all below is of that part. */
static void
put_focus(const struct analysis_data *data, const struct analysis_focus *focus, size_t columns,
	struct buf *out)
{
	struct buf text = {0};

	if (!focus)
		return;
	buf_printf(&text, "%s: ", focus->pattern);
	format_count(&text, data->all);
	buf_puts(&text, " of ");
	format_count(&text, focus->whole);
	buf_printf(&text, " %s (", weights_noun(data->profile));
	format_percent(&text, focus->whole > 0 ? data->all / focus->whole : 0);
	buf_puts(&text, ") have a frame that matches; shares below are of these");
	put_wrapped(out, "focus", buf_text(&text), columns);
	buf_release(&text);
}

void
analysis_put_header(
	const struct analysis_data *data, const struct analysis_options *options, struct buf *out)
{
	const struct profile *profile = data->profile;
	size_t columns = analysis_columns(options);

	put_string(out, "workload", profile, profile->workload, columns);
	if (profile->command != profile->workload)
		put_string(out, "command", profile, profile->command, columns);
	field(out, "date");
	format_time(out, profile->started);
	buf_putc(out, '\n');
	put_duration(profile, out);
	put_sampling(profile, columns, out);
	field(out, weights_noun(profile));
	format_count(out, options->focus ? options->focus->whole : data->all);
	buf_putc(out, '\n');
	put_focus(data, options->focus, columns, out);
	put_symbols(data, columns, out);
	put_validity(profile, columns, out);
	put_stacks(profile, columns, out);
	put_disturbance(profile, columns, out);
	put_string(out, "machine", profile, profile->host, columns);
}
