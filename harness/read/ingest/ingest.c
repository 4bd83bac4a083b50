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

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct input_format *const input_formats[] = {
	&ingest_perfdata,
	&ingest_elf,
	&ingest_callgrind,
	&ingest_pprof,
	&ingest_speedscope,
	&ingest_cpuprofile,
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

static const char *const label_names[] = {
	[LABEL_THREAD] = "thread",
	[LABEL_PROCESS] = "process",
	[LABEL_PID] = "pid",
	[LABEL_TID] = "tid",
	[LABEL_PHASE] = "phase",
};

#define LABEL_NAMES (sizeof(label_names) / sizeof(label_names[0]))

bool
label_find(struct label *label, const char *name, size_t len)
{
	if (len == 0 || len > LABEL_NAME_MAX || memchr(name, '\0', len))
		return false;
	*label = (struct label){.kind = LABEL_OTHER};
	memcpy(label->name, name, len);
	for (size_t i = 0; i < LABEL_NAMES; i++)
		if (strcmp(label->name, label_names[i]) == 0)
			label->kind = (enum label_kind)i;
	return true;
}

static bool
has_name(const struct labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->all[i].name, name) == 0)
			return true;
	return false;
}

int
labels_parse(struct labels *labels, const char *text, const char *option, struct err *err)
{
	*labels = (struct labels){.count = 0};
	for (const char *at = text;;) {
		const size_t len = strcspn(at, ",");
		struct label label;

		if (!label_find(&label, at, len))
			return err_set(err, ERR_USAGE,
				"'--%s %s': expected labels such as \"thread\", \"process\" or "
				"\"phase,thread\"",
				option, text);
		if (has_name(labels, label.name))
			return err_set(err, ERR_USAGE, "'--%s %s': \"%s\" is there twice", option,
				text, label.name);
		if (labels->count == LABELS_MAX)
			return err_set(err, ERR_USAGE, "'--%s %s': more than %d labels", option,
				text, LABELS_MAX);
		labels->all[labels->count++] = label;
		if (at[len] == '\0')
			return 0;
		at += len + 1;
	}
}

const struct labels *
labels_or_thread(const struct labels *labels)
{
	static const struct labels by_thread = {{{LABEL_THREAD, "thread"}}, 1};

	return labels->count > 0 ? labels : &by_thread;
}

bool
labels_have(const struct labels *labels, enum label_kind kind)
{
	for (size_t i = 0; i < labels->count; i++)
		if (labels->all[i].kind == kind)
			return true;
	return false;
}

void
label_put_frame(const struct label *label, const char *value, struct buf *out)
{
	if (!value)
		buf_printf(out, "(no %s)", label->name);
	else if (LABELS_OF_THREADS & LABEL_BIT(label->kind))
		buf_puts(out, value);
	else
		buf_printf(out, "%s=%s", label->name, value);
}

void
labels_put(const struct labels *labels, struct buf *out)
{
	for (size_t i = 0; i < labels->count; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", labels->all[i].name);
}

int
label_check(const struct label *label, unsigned kinds, const char *path, const char *format,
	struct err *err)
{
	struct buf known = {0};

	if (kinds & LABEL_BIT(label->kind))
		return 0;
	for (size_t i = 0; i < LABEL_NAMES; i++)
		if (kinds & LABEL_BIT(i))
			buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", label_names[i]);
	err_set(err, ERR_INPUT, "%s: has no label '%s': it is %s", path, label->name, format);
	if (known.len > 0)
		err_note(err, "its labels are: %s", buf_text(&known));
	buf_release(&known);
	return -1;
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

#define MARK 0xfeff
#define REPLACEMENT 0xfffd
/* Characters of ASCII at the start that tell such text without a mark. */
#define TELLING 8

struct units {
	const unsigned char *at;
	size_t left;  /* bytes */
	unsigned low; /* which byte of a unit is its lower one */
};

static struct units
units_of(const char *bytes, size_t len, bool big_endian)
{
	return (struct units){(const unsigned char *)bytes, len, big_endian};
}

static uint32_t
peek(const struct units *units)
{
	if (units->left < 2)
		return REPLACEMENT;
	return units->at[units->low] | (uint32_t)units->at[1 - units->low] << 8;
}

static uint32_t
take_unit(struct units *units)
{
	const uint32_t unit = peek(units);
	const size_t bytes = units->left < 2 ? units->left : 2;

	units->at += bytes;
	units->left -= bytes;
	return unit;
}

/* Lines of text, without control characters. */
static bool
is_plain(uint32_t unit)
{
	return (unit >= ' ' && unit < 0x7f) || unit == '\t' || unit == '\n' || unit == '\r';
}

static bool
is_order(const char *bytes, size_t len, bool big_endian)
{
	struct units units = units_of(bytes, len, big_endian);

	if (len >= 2 && peek(&units) == MARK)
		return true;
	if (len < (size_t)TELLING * 2)
		return false;
	for (size_t i = 0; i < TELLING; i++)
		if (!is_plain(take_unit(&units)))
			return false;
	return true;
}

bool
utf16_is(const char *bytes, size_t len)
{
	return is_order(bytes, len, false) || is_order(bytes, len, true);
}

static uint32_t
take_character(struct units *units)
{
	const uint32_t unit = take_unit(units);

	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	const uint32_t next = peek(units);

	if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff)
		return REPLACEMENT;
	take_unit(units);
	return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}

void
utf16_decode(const char *bytes, size_t len, struct buf *out)
{
	struct units units = units_of(bytes, len, is_order(bytes, len, true));

	if (peek(&units) == MARK)
		take_unit(&units);
	while (units.left > 0)
		buf_put_utf8(out, take_character(&units));
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

	result = utf16_is(view.data, view.len) ? read_utf16(profile, &view, name, options, err)
					       : read_bytes(profile, &view, name, options, err);
	/* Whatever was read, and whatever was wrong with it. */
	if (file_view_was_cut(&view))
		result = err_set(err, ERR_INPUT, "%s: became shorter while it was read", name);
	file_view_close(&view);
	return result < 0 ? -1 : check_totals(profile, first, name, err);
}

static char
as_shown(char c)
{
	if (c == ' ')
		return '_';
	return c;
}

bool
selection_same_name(const char *wanted, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && wanted[i] != '\0' && as_shown(wanted[i]) == as_shown(name[i]))
		i++;
	return i == len && wanted[i] == '\0';
}

bool
selection_takes(const struct ingest_options *options, uint32_t pid, uint32_t tid, const char *comm,
	size_t len)
{
	return (options->pid == 0 || options->pid == pid) &&
	       (options->tid == 0 || options->tid == tid) &&
	       (!options->comm || selection_same_name(options->comm, comm, len));
}

char *
selection_value(enum label_kind kind, const char *name, size_t len, uint32_t pid, uint32_t tid)
{
	/* A program can name its thread "": its stacks would have no root frame. */
	char *shown = len > 0 ? mem_dup(name, len) : mem_strdup("(unnamed)");
	char *whole = shown;

	for (char *c = shown; *c; c++)
		*c = as_shown(*c);
	if (kind == LABEL_PID)
		whole = mem_printf("%s-%u", shown, pid);
	else if (kind == LABEL_TID)
		whole = mem_printf("%s-%u/%u", shown, pid, tid);
	if (whole != shown)
		free(shown);
	return whole;
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
