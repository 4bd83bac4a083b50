#include "base/file.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/pprof.h"
#include "output/speedscope.h"
#include "profile/folded.h"
#include "profile/hdr_log.h"

#include <string.h>

struct request {
	const char *input;
	const char *output;
	const char *to;
	struct input_choice choice;
	bool runs;
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
write_folded(const struct profile *profile, const struct request *request, struct err *err)
{
	return folded_write_file(
		profile, request->runs ? FOLDED_RUNS : FOLDED_SUM, request->output, err);
}

static int
write_put(void (*put)(const struct profile *profile, struct buf *out),
	const struct profile *profile, const struct request *request, struct err *err)
{
	struct buf out = {0};

	put(profile, &out);
	int result = file_write(request->output, buf_text(&out), out.len, err);

	buf_release(&out);
	return result;
}

static int
write_pprof(const struct profile *profile, const struct request *request, struct err *err)
{
	return write_put(pprof_put, profile, request, err);
}

static int
write_speedscope(const struct profile *profile, const struct request *request, struct err *err)
{
	return write_put(speedscope_put, profile, request, err);
}

/* The times of a capture's operations; its stacks are not needed. */
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

/* What an input is written as: from its profile, or otherwise. */
static const struct target {
	const char *name;
	int (*write)(const struct profile *profile, const struct request *request, struct err *err);
	int (*convert)(const struct request *request, struct err *err);
} targets[] = {
	{"folded", write_folded, NULL},
	{"pprof", write_pprof, NULL},
	{"speedscope", write_speedscope, NULL},
	{"hdr", NULL, convert_to_hdr},
	{"perf.data", NULL, condense},
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

static int
convert(const struct cli_call *call, void *context, struct err *err)
{
	const struct request *request = context;
	const struct target *target = find_target(request->to);
	struct profile profile;

	(void)call;
	if (!target)
		return err_set(err, ERR_USAGE,
			"'--to %s': expected \"folded\", \"pprof\", \"speedscope\", \"hdr\" or "
			"\"perf.data\"",
			request->to);
	if (request->choice.options.uncompressed && target->convert != condense)
		return err_set(err, ERR_USAGE, "'--uncompressed' needs '--to perf.data'");
	if (request->runs && target->write != write_folded)
		return err_set(err, ERR_USAGE, "'--runs' needs '--to folded'");
	if (target->convert)
		return target->convert(request, err);
	if (input_read(&profile, request->input, &request->choice, err) < 0)
		return -1;
	int result = target->write(&profile, request, err);

	profile_release(&profile);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-", .to = "folded"};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"output", 'o', OPTION_TEXT, "FILE", &request.output, "default: standard output"},
		{"to", 0, OPTION_TEXT, "folded|pprof|speedscope|hdr|perf.data", &request.to,
			"default: folded; hdr is the times of marked operations; in perf.data stack "
			"copies are replaced by stacks, compressed"},
		{"uncompressed", 0, OPTION_FLAG, NULL, &request.choice.options.uncompressed,
			"with --to perf.data: for a perf without zstd"},
		{"runs", 0, OPTION_FLAG, NULL, &request.runs,
			"one weight per run, with the header, instead of their sum"},
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, convert, &request, err);
}

const struct cli_verb verb_convert = {
	.name = "convert",
	.usage = "--input FILE [--output FILE] [--to FORMAT] [options]",
	.summary =
		"write a profile as folded text, for pprof or speedscope, or a smaller perf.data",
	.run = run,
};
