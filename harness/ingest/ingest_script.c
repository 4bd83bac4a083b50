#include "ingest/formats.h"

#include "base/log.h"
#include "base/mem.h"
#include "ingest/script_line.h"

#include <stdlib.h>
#include <string.h>

/* The text of a file, line by line. */
struct lines {
	const char *at;
	const char *end;
};

static bool
next_line(struct lines *lines, struct text_span *line)
{
	if (lines->at >= lines->end)
		return false;
	const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	const char *line_end = newline ? newline : lines->end;

	*line = (struct text_span){lines->at, (size_t)(line_end - lines->at)};
	lines->at = line_end + 1;
	while (line->len > 0 && (line->at[line->len - 1] == '\r' || line->at[line->len - 1] == ' '))
		line->len--;
	return true;
}

static bool
detect(const char *bytes, size_t len)
{
	struct lines lines = {bytes, bytes + len};
	struct text_span line;
	struct script_header header;

	if (memchr(bytes, '\0', len))
		return false;
	while (next_line(&lines, &line)) {
		if (line.len > 0 && line.at[0] != '#')
			return script_header_parse(line, &header) && header.has_event;
	}
	return false;
}

struct reading {
	struct profile *profile;
	size_t column;
	struct run run;
	struct text_span event; /* the first one seen */
	uint64_t other_samples;
	double first_s;
	double last_s;
	frame_id *frames; /* of the record being read, leaf first */
	size_t nframes;
	size_t capacity;
	bool open;    /* a record is being read */
	bool skipped; /* it is of another event */
	struct script_header header;
};

static void
add_frame(struct reading *reading, const struct script_frame *parsed)
{
	struct profile *profile = reading->profile;

	if (reading->nframes == reading->capacity)
		reading->frames = mem_grow(reading->frames, &reading->capacity,
			reading->nframes + 1, sizeof(*reading->frames));

	char *name = script_frame_name(parsed);
	frame_id id = profile_frame(profile, name, strlen(name), parsed->kind);
	struct frame *frame = &profile->frames.frames[id];

	free(name);
	if (frame->module == 0 && parsed->module.len > 0)
		frame->module =
			strtab_intern(&profile->strings, parsed->module.at, parsed->module.len);
	reading->frames[reading->nframes++] = id;
}

/* Ends the record being read: its sample goes into the tree. */
static void
close_record(struct reading *reading)
{
	struct profile *profile = reading->profile;
	struct run *run = &reading->run;

	if (!reading->open)
		return;
	reading->open = false;
	if (reading->skipped) {
		reading->other_samples++;
		return;
	}
	char *comm = mem_dup(reading->header.comm.at, reading->header.comm.len);

	for (char *c = comm; *c; c++)
		if (*c == ' ')
			*c = '_';

	frame_id root = profile_frame(profile, comm, strlen(comm), FRAME_USER);
	node_id node = ctree_child(&profile->tree, CTREE_ROOT, root);

	free(comm);
	for (size_t i = reading->nframes; i-- > 0;)
		node = ctree_child(&profile->tree, node, reading->frames[i]);
	if (reading->nframes > 0 &&
		frame_name_is_unknown(profile_frame_name(profile, reading->frames[0])))
		run->unknown_frames++;
	ctree_add(&profile->tree, reading->column, node, 1);
	if (run->samples++ == 0)
		reading->first_s = reading->header.time_s;
	reading->last_s = reading->header.time_s;
}

static void
open_record(struct reading *reading, const struct script_header *header)
{
	struct script_frame frame;

	close_record(reading);
	if (reading->event.len == 0)
		reading->event = header->event;
	reading->header = *header;
	reading->open = true;
	reading->nframes = 0;
	reading->skipped = header->event.len != reading->event.len ||
			   memcmp(header->event.at, reading->event.at, reading->event.len) != 0;
	if (!reading->skipped && script_frame_parse(header->rest, &frame))
		add_frame(reading, &frame);
}

static int
take_line(struct reading *reading, const char *path, struct text_span line, unsigned number,
	struct err *err)
{
	struct script_header header;
	struct script_frame frame;

	if (line.len == 0) {
		close_record(reading);
		return 0;
	}
	if (line.at[0] == '#')
		return 0;
	/* Inside of a record all lines are frames, or what the user asked for beside them. */
	if (reading->open && (line.at[0] == ' ' || line.at[0] == '\t') &&
		!(script_header_parse(line, &header) && header.has_event)) {
		if (!reading->skipped && script_frame_parse(line, &frame))
			add_frame(reading, &frame);
		return 0;
	}
	if (script_header_parse(line, &header)) {
		open_record(reading, &header);
		return 0;
	}
	struct location at = {
		.file = path,
		.line = number,
		.column = 1,
		.line_text = line.at,
		.line_len = line.len,
	};

	return err_set_at(err, &at,
		"expected the first line of a sample as perf script writes it: \"comm pid time: "
		"period event:\"");
}

static void
describe_profile(struct reading *reading)
{
	struct profile *profile = reading->profile;
	struct text_span event = reading->event;

	if (profile->event == 0)
		profile->event = strtab_intern(&profile->strings, event.at, event.len);
	if (profile->unit == 0)
		profile->unit = strtab_intern_str(&profile->strings, "samples");
	if (profile->metric == 0 &&
		(memmem(event.at, event.len, "clock", strlen("clock")) ||
			memmem(event.at, event.len, "cycles", strlen("cycles"))))
		profile->metric = strtab_intern_str(&profile->strings, "cpu");
	if (reading->last_s > reading->first_s)
		profile->duration_s += reading->last_s - reading->first_s;
	profile->runs[reading->column] = reading->run;
}

static int
read_script(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .event = {"", 0}};
	struct lines lines = {view->data, view->data + view->len};
	struct text_span line;
	unsigned number = 0;
	int result = 0;

	(void)options;
	reading.column = profile_add_run(profile);
	while (result == 0 && next_line(&lines, &line))
		result = take_line(&reading, path, line, ++number, err);
	close_record(&reading);
	if (result == 0 && reading.run.samples == 0)
		result = err_set(err, ERR_INPUT, "%s: holds no samples", path);
	if (result == 0) {
		describe_profile(&reading);
		if (reading.other_samples > 0)
			log_warn(
				"%s: has %llu samples of other events; only those of %.*s are read",
				path, (unsigned long long)reading.other_samples,
				(int)reading.event.len, reading.event.at);
	}
	free(reading.frames);
	return result;
}

const struct input_format ingest_script = {
	.name = "perf-script",
	.summary = "the text that perf script prints",
	.detect = detect,
	.read = read_script,
};
