#include "cli/input.h"

#include "base/file.h"
#include "base/file_view.h"
#include "ingest/ingest.h"
#include "ingest/ingest_cache.h"
#include "ingest/labels.h"
#include "spec/units.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S 1e9
/* The longest time of --slower-than: a day. */
#define THRESHOLD_MAX_NS 86400e9
/*
 * Selects a label and its value. A label with its own option (thread: --comm) is selected through
 * that.
 */
static int
find_only(const char *text, struct ingest_options *options, struct err *err)
{
	const size_t len = strcspn(text, "=");

	if (text[len] != '=' || !label_find(&options->only, text, len))
		return err_set(err, ERR_USAGE,
			"'--only %s': expected a label and its value, such as phase=parse", text);
	options->only_value = text + len + 1;
	if (options->only.kind != LABEL_THREAD)
		return 0;
	if (options->comm)
		return err_set(
			err, ERR_USAGE, "both '--only %s' and '--comm %s'", text, options->comm);
	options->comm = options->only_value;
	options->only_value = NULL;
	return 0;
}

static int
find_labels(const struct input_choice *choice, struct ingest_options *options, struct err *err)
{
	if (choice->by && labels_parse(&options->by, choice->by, "by", err) < 0)
		return -1;
	return choice->only ? find_only(choice->only, options, err) : 0;
}

static int
find_weight(const char *text, struct ingest_options *options, struct err *err)
{
	if (!text)
		return 0;
	if (strcmp(text, "samples") == 0)
		options->weight = SAMPLE_WEIGHS_ONE;
	else if (strcmp(text, "period") == 0)
		options->weight = SAMPLE_WEIGHS_PERIOD;
	else
		return err_set(err, ERR_USAGE, "'--weight %s': expected samples or period", text);
	return 0;
}

int
input_threshold(const char *text, uint64_t *ns, struct err *err)
{
	const char *problem = "expected a time with its unit, such as 20ms or 500us";
	enum cost_unit unit;
	double cost;

	if (units_cost(text, &cost, &unit, &problem) < 0 ||
		(unit != COST_TIME && unit != COST_NONE) || cost < 0 || cost > THRESHOLD_MAX_NS)
		return err_set(err, ERR_USAGE, "'--slower-than %s': %s", text, problem);
	*ns = (uint64_t)llround(cost);
	return 0;
}

char *
input_recording(const char *path)
{
	static const char *const names[] = {"perf.data", "callgrind.out"};
	const bool is_folder = strcmp(path, "-") != 0 && file_is_dir(path);

	for (size_t i = 0; is_folder && i < sizeof(names) / sizeof(names[0]); i++) {
		char *inside = file_join(path, names[i]);

		if (file_exists(inside) && !file_is_dir(inside))
			return inside;
		free(inside);
	}
	return NULL;
}

static int
read_unsorted(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err)
{
	struct ingest_options options = choice->options;

	if (find_labels(choice, &options, err) < 0 ||
		find_weight(choice->weight, &options, err) < 0 ||
		(choice->slower_than &&
			input_threshold(choice->slower_than, &options.slower_than_ns, err) < 0))
		return -1;
	options.only_operations = choice->slower_than != NULL;
	options.from_ns = (uint64_t)llround(choice->from_s * NS_PER_S);
	options.to_ns = (uint64_t)llround(choice->to_s * NS_PER_S);
	if (choice->to_s > 0 && options.to_ns <= options.from_ns)
		return err_set(err, ERR_USAGE, "'--to' is not after '--from'");
	if (choice->symfs && !file_is_dir(choice->symfs))
		return err_set(err, ERR_USAGE, "'--symfs %s': expected a folder", choice->symfs);
	options.cache = ingest_cache_new();
	if (choice->symfs)
		ingest_cache_set_root(options.cache, choice->symfs);
	ingest_cache_set_debuginfod(options.cache, choice->debuginfod);
	profile_init(profile);

	char *recording = input_recording(path);
	int result = ingest_file(profile, recording ? recording : path, &options, err);

	if (result == 0)
		ingest_cache_warn(options.cache);
	else
		profile_release(profile);
	ingest_cache_free(options.cache);
	free(recording);
	return result;
}

int
input_read(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err)
{
	int result = read_unsorted(profile, path, choice, err);

	if (result == 0)
		profile_sort(profile);
	return result;
}

/* Whether it is a file of folded text, which is read without messages, and by one thread. */
static bool
is_folded_file(const char *path)
{
	struct file_view view;
	struct err err = {0};
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		file_view_open_stream(&view, path, &err) < 0)
		return false;
	bool is_folded = ingest_find_format(view.data, view.len) == &ingest_folded;

	file_view_close(&view);
	return is_folded;
}

struct reading {
	struct profile *profile;
	const char *path;
	const struct input_choice *choice;
	struct err err;
	int result;
};

static void *
read_aside(void *context)
{
	struct reading *reading = context;

	reading->result =
		read_unsorted(reading->profile, reading->path, reading->choice, &reading->err);
	return NULL;
}

int
input_read_two(struct profile profiles[2], const char *const paths[2],
	const struct input_choice *choice, struct err *err)
{
	struct reading second = {.profile = &profiles[1], .path = paths[1], .choice = choice};
	pthread_t thread;
	bool at_once = is_folded_file(paths[0]) && is_folded_file(paths[1]) &&
		       pthread_create(&thread, NULL, read_aside, &second) == 0;
	int first = read_unsorted(&profiles[0], paths[0], choice, err);

	if (at_once)
		pthread_join(thread, NULL);
	else if (first == 0)
		read_aside(&second);
	if (first == 0 && second.result < 0) {
		profile_release(&profiles[0]);
		*err = second.err;
	}
	if (first < 0 && at_once && second.result == 0)
		profile_release(&profiles[1]);
	return first < 0 || second.result < 0 ? -1 : 0;
}
