/*
 * To add a format: write ingest_NAME.c with a const struct input_format, declare it in
 * ingest.h, and list it below, ahead of any format whose detect() would also take it. Then
 * give it a unit test, a fuzz target and a line in the manual page.
 */
#include "ingest/ingest.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"

#include <math.h>
#include <string.h>

const struct input_format *const input_formats[] = {
	&ingest_perfdata,
	&ingest_elf,
	&ingest_callgrind,
	&ingest_pprof,
	&ingest_speedscope,
	&ingest_cpuprofile,
	&ingest_firefox,
	&ingest_bpf, /* a map begins as a sample's header and its frames could */
	&ingest_script,
	&ingest_gprof,
	&ingest_offcputime,
	&ingest_folded,
	NULL,
};

/* The likely kind of unreadable input, for the message. */
static const char *
likely_kind(const char *bytes, size_t len)
{
	static const struct {
		const char *start;
		size_t len;
		const char *what;
	} kinds[] = {
		{"\x1f\x8b", 2, "a gzip file; expand it first"},
		{"\x28\xb5\x2f\xfd", 4, "a zstd file; expand it first"},
		{"<", 1, "XML or SVG"},
		{"{", 1, "JSON"},
		{"[", 1, "JSON"},
	};

	if (len == 0)
		return "an empty file";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (len >= kinds[i].len && memcmp(bytes, kinds[i].start, kinds[i].len) == 0)
			return kinds[i].what;
	return memchr(bytes, '\0', len) ? "binary data" : "some other text";
}

static int
refuse(const char *path, const char *bytes, size_t len, struct err *err)
{
	struct buf names = {0};

	for (size_t i = 0; input_formats[i]; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", input_formats[i]->name);
	err_set(err, ERR_INPUT, "%s: not a profile that can be read: it looks like %s", path,
		likely_kind(bytes, len));
	err_note(err, "read are: %s", buf_text(&names));
	buf_release(&names);
	return -1;
}

const struct input_format *
ingest_find_format(const char *bytes, size_t len)
{
	size_t head = len < INGEST_DETECT_BYTES ? len : INGEST_DETECT_BYTES;
	const struct input_format *const *format = input_formats;

	while (*format && !(*format)->detect(bytes, head))
		format++;
	return *format;
}

/* Weights of a file are numbers, but what they add up to may be none. */
static int
check_totals(const struct profile *profile, size_t first, const char *name, struct err *err)
{
	for (size_t column = first; column < profile->nruns; column++)
		if (!isfinite(profile_column_total(profile, column)))
			return err_set(err, ERR_INPUT,
				"%s: its weights add up to more than a number can be", name);
	return 0;
}

/*
 * A profile whose weights are all 0 says nothing. Samples with periods of 0 are a fault of their
 * file; stacks that weigh 0 may be one side of a difference.
 */
static int
check_weightless(const struct input_format *format, const struct profile *profile, size_t first,
	const char *name, const struct ingest_options *options, struct err *err)
{
	if (!format->if_weightless || options->may_be_empty || profile->nruns == first ||
		(options->may_weigh_nothing && !format->periods))
		return 0;
	for (size_t column = first; column < profile->nruns; column++)
		if (profile_column_total(profile, column) > 0)
			return 0;
	err_set(err, ERR_INPUT, "%s: all of its weights are 0", name);
	return err_note(err, "%s", format->if_weightless);
}

static int
check_labels(const struct input_format *format, const char *path,
	const struct ingest_options *options, struct err *err)
{
	for (size_t i = 0; i < options->by.count; i++)
		if (label_check(&options->by.all[i], format->labels, path, format->name, err) < 0)
			return -1;
	return options->only_value
		       ? label_check(&options->only, format->selects, path, format->name, err)
		       : 0;
}

static int
read_with(const struct input_format *format, struct profile *profile, struct file_view *view,
	const char *path, const struct ingest_options *options, struct err *err)
{
	const size_t first = profile->nruns;

	if (check_labels(format, path, options, err) < 0 ||
		(!format->streams && file_view_read_all(view, err) < 0) ||
		format->read(profile, view, path, options, err) < 0 ||
		check_weightless(format, profile, first, path, options, err) < 0)
		return -1;
	profile_shorten_names(profile);
	struct buf by = {0};

	labels_put(&options->by, &by);
	if (by.len == 0 && format->by_thread)
		buf_puts(&by, "thread");
	if (by.len > 0 && profile->by == 0)
		profile->by = strtab_intern(&profile->strings, buf_text(&by), by.len);
	buf_release(&by);
	return 0;
}

static int
read_bytes(struct profile *profile, struct file_view *view, const char *name,
	const struct ingest_options *options, struct err *err)
{
	const struct input_format *format = ingest_find_format(view->data, view->len);

	if (format && format != &ingest_perfdata && options->condensed)
		err_set(err, ERR_INPUT, "%s: is %s; only perf.data can become a smaller perf.data",
			name, format->name);
	else if (format && format != &ingest_perfdata && options->only_operations)
		err_set(err, ERR_INPUT,
			"%s: is %s; only perf.data of `capture --operation` says when operations "
			"began and ended",
			name, format->name);
	else if (format && format != &ingest_perfdata &&
		 (options->from_ns > 0 || options->to_ns > 0))
		err_set(err, ERR_INPUT,
			"%s: is %s; a part of its time can be read of perf.data only", name,
			format->name);
	else if (format && !format->pairs && options->pair)
		err_set(err, ERR_INPUT,
			"%s: is %s; a difference in one file is folded text with two weights per line, as difffolded.pl writes it, or pprof, as 'pprof -diff_base -proto' does",
			name, format->name);
	else if (format && !format->periods && options->weight != SAMPLE_WEIGHS_AUTO)
		err_set(err, ERR_INPUT,
			"%s: is %s, whose samples have no periods: --weight is for perf.data and the text of perf script",
			name, format->name);
	else if (format && !format->lines && options->lines)
		err_set(err, ERR_INPUT,
			"%s: is %s, which has functions only, no lines: give the perf.data or callgrind file that it was made from",
			name, format->name);
	else if (format)
		return read_with(format, profile, view, name, options, err);
	else
		return refuse(name, view->data,
			view->len < INGEST_DETECT_BYTES ? view->len : INGEST_DETECT_BYTES, err);
	return -1;
}

static int
read_utf16(struct profile *profile, struct file_view *view, const char *name,
	const struct ingest_options *options, struct err *err)
{
	struct buf text = {0};

	if (file_view_read_all(view, err) < 0)
		return -1;
	utf16_decode(view->data, view->len, &text);
	struct file_view decoded = {.data = buf_text(&text), .len = text.len};
	int result = read_bytes(profile, &decoded, name, options, err);

	buf_release(&text);
	return result;
}

/* What is packed by gzip; pprof, which mostly is, unpacks itself. */
static int
read_packed(struct profile *profile, struct file_view *view, const char *name,
	const struct ingest_options *options, struct err *err)
{
	struct buf text = {0};

	if (file_view_read_all(view, err) < 0 ||
		gunzip(view->data, view->len, name, &text, err) < 0) {
		buf_release(&text);
		return -1;
	}
	struct file_view unpacked = {.data = buf_text(&text), .len = text.len};
	int result = read_bytes(profile, &unpacked, name, options, err);

	buf_release(&text);
	return result;
}

/* The first bytes say how the whole is read. */
static int
read_view(struct profile *profile, struct file_view *view, const char *name,
	const struct ingest_options *options, struct err *err)
{
	if (utf16_is(view->data, view->len))
		return read_utf16(profile, view, name, options, err);
	if (gunzip_is(view->data, view->len) && !ingest_find_format(view->data, view->len))
		return read_packed(profile, view, name, options, err);
	return read_bytes(profile, view, name, options, err);
}

int
ingest_file(struct profile *profile, const char *path, const struct ingest_options *options,
	struct err *err)
{
	static const struct ingest_options everything;
	const size_t first = profile->nruns;
	struct file_view view;
	int result;

	if (!options)
		options = &everything;

	const char *name = options->name ? options->name : path;

	if (file_is_dir(path))
		return err_set(err, ERR_INPUT,
			"%s: is a folder; of a recording made with --threads, give one file: "
			"perf script -i %s > FILE",
			path, path);
	if (file_view_open_stream(&view, path, err) < 0)
		return -1;

	result = read_view(profile, &view, name, options, err);
	/* Whatever was read, and whatever was wrong with it. */
	if (file_view_was_cut(&view))
		result = err_set(err, ERR_INPUT, "%s: became shorter while it was read", name);
	file_view_close(&view);
	return result < 0 ? -1 : check_totals(profile, first, name, err);
}

void
first_lines_init(struct first_lines *first, const char *bytes, size_t len)
{
	*first = (struct first_lines){
		.view = {.data = bytes, .len = memchr(bytes, '\0', len) ? 0 : len},
		.may_be_cut = len >= INGEST_DETECT_BYTES,
	};
	lines_init(&first->lines, &first->view);
}

bool
first_lines_next(struct first_lines *first, struct line *line)
{
	struct err ignored = {0};

	if (lines_next(&first->lines, line, &ignored) <= 0)
		return false;
	const bool whole = first->lines.at > first->view.data && first->lines.at[-1] == '\n';

	return whole || !first->may_be_cut || first->lines.number == 1;
}

static size_t
skip_blanks(const char *bytes, size_t len, size_t at)
{
	while (at < len &&
		(bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n'))
		at++;
	return at;
}

bool
json_file_begins(const char *bytes, size_t len)
{
	const size_t at = skip_blanks(bytes, len, text_mark_len(bytes, len));

	return at < len && bytes[at] == '{';
}
