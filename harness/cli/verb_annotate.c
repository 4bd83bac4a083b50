#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "commands/annotate.h"
#include "profile/frame.h"
#include "profile/functions.h"
#include "profile/weights.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 3

struct request {
	const char *input; /* the only side; NULL: before and after are two */
	const char *before;
	const char *after;
	const char *source;
	const char *source_before;
	struct input_choice choice;
	bool assembly;
	bool force_units;
};

/* One side, once it is read. */
struct side {
	struct profile profile;
	struct line_weights weights;
};

static const char *
past_spaces(const char *text)
{
	return text + strspn(text, " ");
}

/*
 * Whether the name contains the text. Spaces are ignored: tools put them differently in C++ names.
 */
static bool
has_part(const char *name, const char *text)
{
	for (; *name; name++) {
		const char *at = name;
		const char *part = past_spaces(text);

		while (*part && *at == *part) {
			at = past_spaces(at + 1);
			part = past_spaces(part + 1);
		}
		if (!*part)
			return true;
	}
	return false;
}

/* Adds to an error the functions with most weight whose name contains the text. */
static void
note_similar(const struct profile *profile, const char *path, const char *text, struct err *err)
{
	struct functions functions;

	functions_init(&functions, profile);
	for (unsigned shown = 0; shown < NAMES_SHOWN; shown++) {
		double most = 0;
		frame_id found = 0;

		for (frame_id i = 1; i < profile->frames.nframes; i++) {
			const double total = functions_total(&functions, i, 0, functions.ncolumns);

			if (total > most && has_part(profile_frame_name(profile, i), text)) {
				most = total;
				found = i;
			}
		}
		if (!found && shown == 0) {
			struct buf word = {0};

			escape_shell_word(&word, path);
			err_note(err, "'profile_run analyze --input %s' lists the functions",
				buf_text(&word));
			buf_release(&word);
		}
		if (!found)
			break;
		err_note(err, "there is '%s'", profile_frame_name(profile, found));
		for (size_t i = 0; i < functions.ncolumns; i++)
			functions.total[found * functions.ncolumns + i] = 0;
	}
	functions_release(&functions);
}

/* The captures that a path of the command line stands for, in the order of their names. */
struct captures {
	char **paths; /* owned */
	size_t count;
	size_t capacity;
};

static void
captures_release(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		free(captures->paths[i]);
	free(captures->paths);
	*captures = (struct captures){0};
}

/* Adds a path, which the list then owns. */
static void
captures_add(struct captures *captures, char *path)
{
	captures->paths = mem_grow(
		(void *)captures->paths, &captures->capacity, captures->count + 1, sizeof(char *));
	captures->paths[captures->count++] = path;
}

/* Adds the captures in a workload's folder of a report: PREFIX-NN.perf.data. */
static void
captures_add_kept(struct captures *captures, const char *folder, const char *prefix)
{
	struct dirent **entries = NULL;
	const int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const char *end = strstr(name, ".perf.data");

		if (strncmp(name, prefix, strlen(prefix)) == 0 && name[strlen(prefix)] == '-' &&
			end && strcmp(end, ".perf.data") == 0)
			captures_add(captures, file_join(folder, name));
		free(entries[i]);
	}
	free((void *)entries);
}

/* Adds the captures of the first workload of a report that has some. */
static void
captures_add_report(struct captures *captures, const char *folder, const char *prefix)
{
	struct dirent **entries = NULL;
	const int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.' && captures->count == 0) {
			char *inside = file_join(folder, entries[i]->d_name);

			captures_add_kept(captures, inside, prefix);
			free(inside);
		}
		free(entries[i]);
	}
	free((void *)entries);
}

/*
 * Finds the captures: the file itself, or those in a folder of `capture`, in a workload's folder of
 * a report, or of the first workload in a report that has some. `prefix`: that of their names in
 * reports, "run" or "base". None is no error.
 */
static void
captures_find(struct captures *captures, const char *path, const char *prefix)
{
	char *recording = input_recording(path);

	if (recording)
		captures_add(captures, recording);
	else if (!file_is_dir(path))
		captures_add(captures, mem_strdup(path));
	else
		captures_add_kept(captures, path, prefix);
	if (captures->count == 0)
		captures_add_report(captures, path, prefix);
}

/* Reads the captures into one profile; they are runs of one program. */
static int
read_captures(struct side *side, const struct captures *captures, const struct input_choice *choice,
	struct err *err)
{
	for (size_t i = 0; i < captures->count; i++) {
		struct profile more = {.nruns = 0};
		struct profile *into = i == 0 ? &side->profile : &more;

		if (input_read(into, captures->paths[i], choice, err) < 0) {
			if (i > 0)
				profile_release(&side->profile);
			return -1;
		}
		if (i > 0) {
			profile_append(&side->profile, &more);
			profile_release(&more);
		}
	}
	return 0;
}

/* Where a side is read from. */
struct side_source {
	const char *path;
	const char *prefix; /* of the names of captures in a report: "run", "base" */
	const char *function;
};

static int
read_side(struct side *side, const struct side_source *source, const struct input_choice *choice,
	struct err *err)
{
	struct input_choice with_lines = *choice;
	struct captures captures = {0};
	int result;

	line_weights_init(&side->weights, source->function);
	with_lines.options.lines = &side->weights;
	captures_find(&captures, source->path, source->prefix);
	if (captures.count == 0)
		result = err_set(err, ERR_INPUT,
			"%s: no capture is in this folder; a gate keeps those of workloads that fail, are undecided or warn",
			source->path);
	else
		result = read_captures(side, &captures, &with_lines, err);
	captures_release(&captures);
	if (result == 0 && side->weights.total <= 0) {
		err_set(err, ERR_INPUT, "%s: no stack has a function named '%s'", source->path,
			source->function);
		note_similar(&side->profile, source->path, source->function, err);
		profile_release(&side->profile);
		result = -1;
	}
	if (result < 0)
		line_weights_release(&side->weights);
	return result;
}

/* Whether the path is a report with captures of both builds. */
static bool
has_both_sides(const char *path)
{
	struct captures base = {0};
	char *recording = input_recording(path);

	if (!recording && file_is_dir(path))
		captures_find(&base, path, "base");
	const bool has = base.count > 0;

	captures_release(&base);
	free(recording);
	return has;
}

static void
release_side(struct side *side)
{
	profile_release(&side->profile);
	line_weights_release(&side->weights);
}

static int
check_usage(const struct cli_call *call, const struct request *request, struct err *err)
{
	if (call->arguments.count != 1)
		err_set(err, ERR_USAGE, "expected the name of one function");
	else if (request->input ? request->before || request->after
				: !request->before || !request->after)
		err_set(err, ERR_USAGE,
			"expected '--input FILE', or '--before FILE' and '--after FILE'");
	else if (request->source_before && request->input)
		err_set(err, ERR_USAGE, "'--source-before' is for '--before' and '--after'");
	else
		return 0;
	return cli_usage_error(call->verb, err);
}

static int
annotate_named(const struct cli_call *call, const struct request *request, const char *function,
	struct err *err)
{
	const bool both = request->input && has_both_sides(request->input);
	const struct side_source input = {request->input, "run", function};
	const struct side_source of_report[2] = {{request->input, "base", function}, input};
	const struct side_source two[2] = {
		{request->before, "run", function}, {request->after, "run", function}};
	const struct side_source *sources = both ? of_report : request->input ? &input : two;
	const char *folders[2] = {
		request->input ? request->source : request->source_before, request->source};
	const size_t nsides = both || !request->input ? 2 : 1;
	struct side sides[2];
	const struct confinement confinement = {.debuginfod = request->choice.debuginfod};
	size_t nread = 0;
	int result = check_usage(call, request, err);

	if (result < 0)
		return -1;
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;

	while (result == 0 && nread < nsides) {
		result = read_side(&sides[nread], &sources[nread], &request->choice, err);
		nread += result == 0;
	}
	if (result == 0 && nsides == 2)
		result = quantity_check(&sides[0].profile, sources[0].path, &sides[1].profile,
			sources[1].path, request->force_units, err);
	if (result == 0) {
		struct annotate_request shown = {
			.nsides = nsides,
			.root = request->choice.symfs,
			.listing = request->assembly,
		};

		for (size_t i = 0; i < nsides; i++)
			shown.sides[i] = (struct annotation_side){
				.profile = &sides[i].profile,
				.weights = &sides[i].weights,
				.sources.folder = folders[i],
			};
		annotate_function(&shown, call->text);
	}
	while (nread > 0)
		release_side(&sides[--nread]);
	return result;
}

static int
annotate(const struct cli_call *call, void *context, struct err *err)
{
	const char *name = call->arguments.count > 0 ? call->arguments.items[0] : "";
	size_t len = strlen(name);

	/* Elsewhere functions are shown with their kind, which is not a part of their name. */
	frame_parse_kind(name, &len);
	char *function = mem_printf("%.*s", (int)len, name);
	const int result = annotate_named(call, context, function, err);

	free(function);
	return result;
}

static int
run_annotate(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_TEXT, "FILE", &request.input,
			"perf.data or callgrind, a folder of 'capture', or a report; - is standard input"},
		{"before", 0, OPTION_TEXT, "FILE", &request.before,
			"profile of the program before a change, to compare with"},
		{"after", 0, OPTION_TEXT, "FILE", &request.after, "... and after it"},
		{"source", 's', OPTION_TEXT, "DIR", &request.source,
			"where the sources are (default: where the debug information says)"},
		{"source-before", 0, OPTION_TEXT, "DIR", &request.source_before,
			"where the sources of '--before' are"},
		{"assembly", 'a', OPTION_FLAG, NULL, &request.assembly,
			"all instructions of the function, too, in their order"},
		FORCE_UNITS_OPTION(request.force_units),
		INPUT_TIME_OPTIONS(request.choice),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, annotate, &request, err);
}

const struct cli_verb verb_annotate = {
	.name = "annotate",
	.usage = "FUNCTION {--input FILE | --before FILE --after FILE} [options]",
	.summary = "print a function's source lines and instructions with their weights",
	.takes_arguments = true,
	.is_confined = true,
	.run = run_annotate,
};
