#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/exported.h"
#include "output/pprof.h"
#include "output/redact.h"
#include "profile/folded.h"
#include "profile/latency.h"
#include "spec/redaction.h"

#include <string.h>

struct request {
	const char *input;
	const char *output;
	const char *to;
	struct input_choice choice;
	const char *labels;
	const char *redact;                /* file of rules; NULL: nothing is redacted */
	const struct redaction *redaction; /* the rules of that file; NULL: nothing is redacted */
	bool runs;
};

/*
 * The profile that was read. Times and values are empty where the input has none, or the target
 * does not use them.
 */
struct source {
	const struct profile *profile;
	const struct sample_times *times;
	const struct sample_values *values;
};

/* Writes a smaller perf.data with the profile's stacks; the profile itself is not needed. */
static int
condense(const struct request *request, struct err *err)
{
	struct input_choice choice = request->choice;
	struct profile profile;

	if (strcmp(request->output, "-") == 0)
		return err_set(err, ERR_USAGE, "'--to perf.data' needs '--output FILE'");
	choice.options.condensed = request->output;
	if (input_read(&profile, request->input, &choice, err) < 0)
		return -1;
	profile_release(&profile);
	return 0;
}

static int
write_folded(const struct source *source, const struct request *request, struct err *err)
{
	return folded_write_file(
		source->profile, request->runs ? FOLDED_RUNS : FOLDED_FILE, request->output, err);
}

/* Writes the text, if all of it `fits`; else that is an error. */
static int
write_out(struct buf *out, bool fits, const struct request *request, struct err *err)
{
	/* Text on standard output may be read by a CI system; pprof is compressed. */
	if (strcmp(request->output, "-") == 0 && strcmp(request->to, "pprof") != 0)
		escape_commands(out->data, out->len);
	int result =
		fits ? file_write(request->output, buf_text(out), out->len, err)
		     : err_set(err, ERR_INPUT,
			       "%s: '--to %s' would write more than %zu MiB: select a part of it",
			       request->input, request->to, EXPORTED_BYTES_MAX >> 20);

	buf_release(out);
	return result;
}

static int
write_pprof(const struct source *source, const struct request *request, struct err *err)
{
	const struct pprof_options options = {
		.labels = request->labels, .runs = request->runs, .values = source->values};
	struct buf out = {0};

	const bool fits = pprof_put_labelled(source->profile, &options, &out);

	return write_out(&out, fits, request, err);
}

/* Writes a format of samples or calls in order of time. */
static int
write_timed(bool (*put)(const struct profile *, const struct sample_times *, struct buf *),
	const struct source *source, const struct request *request, struct err *err)
{
	struct buf out = {0};

	if (source->times->nsamples == 0)
		return err_set(err, ERR_INPUT,
			"%s: its samples have no times: '--to %s' needs the times of a perf.data",
			request->input, request->to);
	const bool fits = put(source->profile, source->times, &out);

	return write_out(&out, fits, request, err);
}

static int
write_speedscope(const struct source *source, const struct request *request, struct err *err)
{
	struct buf out = {0};

	const bool fits = speedscope_put(source->profile, source->times, &out);

	return write_out(&out, fits, request, err);
}

static int
write_firefox(const struct source *source, const struct request *request, struct err *err)
{
	return write_timed(firefox_put, source, request, err);
}

static int
write_chrome_trace(const struct source *source, const struct request *request, struct err *err)
{
	return write_timed(chrome_trace_put, source, request, err);
}

/* Writes the times of a capture's operations; its stacks are not needed. */
static int
convert_to_hdr(const struct request *request, struct err *err)
{
	struct input_choice choice = request->choice;
	struct profile profile;
	struct buf times = {0};
	struct buf out = {0};

	choice.options.operation_times = &times;
	if (input_read(&profile, request->input, &choice, err) < 0) {
		buf_release(&times);
		return -1;
	}
	const struct hdr_interval interval = {profile.started, profile.duration_s};
	int result = -1;

	if (times.len == 0) {
		err_set(err, ERR_INPUT, "%s: has no operations", request->input);
		err_note(err, "'profile_run capture --operation FUNCTION' records them");
	} else {
		hdr_log_put(
			(double *)(void *)times.data, times.len / sizeof(double), &interval, &out);
		result = file_write(request->output, buf_text(&out), out.len, err);
	}
	profile_release(&profile);
	buf_release(&times);
	buf_release(&out);
	return result;
}

/* The formats to write: from the input's profile (`write`) or from its records (`convert`). */
static const struct target {
	const char *name;
	bool timed;  /* the format has the times of samples, where they are known */
	bool lines;  /* the format has the lines of the code in each function */
	bool values; /* the format has the values of all types, and the labels */
	int (*write)(const struct source *source, const struct request *request, struct err *err);
	int (*convert)(const struct request *request, struct err *err);
} targets[] = {
	{"folded", .write = write_folded},
	{"pprof", .lines = true, .values = true, .write = write_pprof},
	{"speedscope", .timed = true, .write = write_speedscope},
	{"firefox", .timed = true, .write = write_firefox},
	{"chrome-trace", .timed = true, .write = write_chrome_trace},
	{"hdr", .convert = convert_to_hdr},
	{"perf.data", .convert = condense},
};

static const struct target *
find_target(const char *name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (strcmp(targets[i].name, name) == 0)
			return &targets[i];
	}
	return NULL;
}

/*
 * Limits of redacting, which then takes some seconds: each name is tested with each rule until one
 * matches, and takes time for each of its bytes.
 */
#define REDACT_TESTS_MAX ((uint64_t)50000000)
#define REDACT_BYTES_MAX ((uint64_t)2000000000)

/* The number of bytes that rules are tested with; counting ends soon above the limit. */
static uint64_t
tested_bytes(const struct profile *profile, const struct redaction *redaction)
{
	uint64_t bytes = 0;

	for (frame_id id = 1; id < profile->frames.nframes && bytes <= REDACT_BYTES_MAX; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const str_id texts[] = {frame->name, frame->full, frame->module, frame->file};

		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			bytes += redaction->nrules * strtab_len(&profile->strings, texts[i]);
	}
	return bytes;
}

static int
redact(struct profile *profile, const struct redaction *redaction, const char *input,
	struct err *err)
{
	const size_t nnames = profile->frames.nframes;
	struct profile redacted;
	struct buf key = {0};

	const bool long_names = tested_bytes(profile, redaction) > REDACT_BYTES_MAX;

	if ((uint64_t)nnames * redaction->nrules > REDACT_TESTS_MAX || long_names) {
		err_set(err, ERR_INPUT, "%s: %zu rules for %zu names%s are too many", input,
			redaction->nrules, nnames, long_names ? " as long as these" : "");
		return err_note(err, "write fewer rules, with patterns that match more names each");
	}
	redact_profile(&redacted, profile, redaction);
	profile_release(profile);
	*profile = redacted;
	redact_put_key(redaction, &key);
	log_info("names are hashed with %s", buf_text(&key));
	buf_release(&key);
	return 0;
}

static int
convert_to(const struct target *target, const struct request *request, struct err *err)
{
	struct input_choice choice = request->choice;
	struct sample_values values = {0};
	struct sample_times times;
	struct profile profile;
	int result = -1;

	sample_times_init(&times);
	/* Times have names of threads, and refer to the nodes of the tree before it is redacted. */
	choice.options.times = target->timed && !request->redaction ? &times : NULL;
	/* Values refer to these nodes, too, and any of their labels can be a name. */
	choice.options.values = target->values && !request->redaction ? &values : NULL;
	/* Lines would show which function a redacted name was. */
	choice.options.at_lines = target->lines && !request->redaction;
	if (input_read(&profile, request->input, &choice, err) == 0) {
		const struct source source = {&profile, &times, &values};

		result = request->redaction
				 ? redact(&profile, request->redaction, request->input, err)
				 : 0;
		if (result == 0)
			result = target->write(&source, request, err);
		profile_release(&profile);
	}
	sample_values_release(&values);
	sample_times_release(&times);
	return result;
}

/* Whether a format is made of the call tree alone: others would show names of the original. */
static bool
can_be_redacted(const struct target *target)
{
	return target->write && (!target->timed || target->write == write_speedscope);
}

static int
check_options(const struct target *target, const struct request *request, struct err *err)
{
	if (request->choice.options.uncompressed && target->convert != condense)
		return err_set(err, ERR_USAGE, "'--uncompressed' needs '--to perf.data'");
	if (request->runs && target->write != write_folded && target->write != write_pprof)
		return err_set(err, ERR_USAGE, "'--runs' needs '--to folded' or '--to pprof'");
	if (request->labels && target->write != write_pprof)
		return err_set(err, ERR_USAGE, "'--label' needs '--to pprof'");
	if (request->redact && !can_be_redacted(target))
		return err_set(err, ERR_USAGE,
			"'--redact' is not for '--to %s': expected \"folded\", \"pprof\" or "
			"\"speedscope\"",
			request->to);
	return request->labels ? pprof_check_labels(request->labels, "label", err) : 0;
}

static int
convert_confined(const struct cli_call *call, const struct target *target,
	const struct request *request, struct err *err)
{
	const struct confinement confinement = {
		.file = request->output,
		.debuginfod = request->choice.debuginfod,
	};
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;
	return target->convert ? target->convert(request, err) : convert_to(target, request, err);
}

static int
convert(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	const struct target *target = find_target(request->to);

	if (!target)
		return err_set(err, ERR_USAGE,
			"'--to %s': expected \"folded\", \"pprof\", \"speedscope\", \"firefox\", "
			"\"chrome-trace\", \"hdr\" or \"perf.data\"",
			request->to);
	if (check_options(target, request, err) < 0)
		return -1;
	if (!request->redact)
		return convert_confined(call, target, request, err);
	/* The rules and their key are ours to read, not the confined process's. */
	struct redaction redaction;
	int result = redaction_read(&redaction, request->redact, err);

	request->redaction = &redaction;
	if (result == 0)
		result = convert_confined(call, target, request, err);
	request->redaction = NULL;
	redaction_release(&redaction);
	return result;
}

static int
run_convert(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-", .to = "folded"};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"output", 'o', OPTION_TEXT, "FILE", &request.output, "default: standard output"},
		{"to", 0, OPTION_TEXT, "folded|pprof|speedscope|firefox|chrome-trace|hdr|perf.data",
			&request.to,
			"default: folded; hdr is the times of marked operations; in perf.data stack "
			"copies are replaced by stacks, compressed"},
		{"uncompressed", 0, OPTION_FLAG, NULL, &request.choice.options.uncompressed,
			"with --to perf.data: for a perf without zstd"},
		{"runs", 0, OPTION_FLAG, NULL, &request.runs,
			"each run by itself, instead of their sum: folded, and pprof as a label"},
		{"label", 0, OPTION_TEXT, "LABEL=VALUE,...", &request.labels,
			"with --to pprof: labels of all samples, such as side=before"},
		{"redact", 0, OPTION_TEXT, "FILE", &request.redact,
			"YAML rules by which names are kept, hashed, replaced by a class or dropped"},
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, convert, &request, err);
}

const struct cli_verb verb_convert = {
	.name = "convert",
	.usage = "--input FILE [--output FILE] [--to FORMAT] [options]",
	.summary = "write a profile as folded text, for other viewers, or a smaller perf.data",
	.is_confined = true,
	.run = run_convert,
};
