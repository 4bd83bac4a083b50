#include "measurement/program_size.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "builds/program.h"
#include "elf/elf_image.h"
#include "ingest/ingest.h"
#include "profile/files.h"
#include "profile/metric.h"

#include <stdlib.h>
#include <string.h>

/* Others are for tools, or grow with these: symbol tables, unwind tables, debug information. */
static const char *const sections[] = {".text", ".rodata", ".data", ".bss", ".tdata", ".tbss",
	".lrodata", ".ldata", ".lbss", NULL};

bool
program_size_wanted(const struct measurement *m)
{
	const struct metric *metric = metric_find(m->workload->capture.metric);

	return metric && metric->of_files;
}

int
program_size_choose(struct measurement *m, struct err *err)
{
	m->event = (struct capture_event){
		.name = METRIC_SIZE,
		.counts_all = true,
		.own_stacks = true,
		.own_format = true,
		.presented = "any",
		.reason = "read from the program's files",
	};
	m->runs = (struct run_plan){.wanted = {1}, .most = 1};
	return cpu_plan_make("none", &m->cpus, err);
}

/* Whether it is one of the sections, or a part of one as linkers name it: ".data.rel.ro". */
static bool
is_weighed(const char *section)
{
	for (size_t i = 0; sections[i]; i++) {
		const size_t len = strlen(sections[i]);

		if (strncmp(section, sections[i], len) == 0 &&
			(section[len] == '\0' || section[len] == '.'))
			return true;
	}
	return false;
}

/* Adds the stacks of a file, which is called `name`; children follow their parents. */
static void
add_sections(struct profile *one, const struct profile *file, const char *name)
{
	const struct ctree *tree = &file->tree;
	frame_id *frames = profile_append_frames(one, file, false);
	const frame_id root = profile_frame(one, name, strlen(name), FRAME_USER);
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));
	bool *weighed = mem_zalloc(tree->nnodes, sizeof(*weighed));

	for (node_id node = 1; node < tree->nnodes; node++) {
		const struct ctree_node *at = &tree->nodes[node];
		const bool is_section =
			at->parent != CTREE_ROOT && tree->nodes[at->parent].parent == CTREE_ROOT;

		weighed[node] = is_section ? is_weighed(profile_frame_name(file, at->frame))
					   : weighed[at->parent];
		if (at->parent != CTREE_ROOT && !weighed[node])
			continue;
		nodes[node] = ctree_child(&one->tree, nodes[at->parent],
			at->parent == CTREE_ROOT ? root : frames[at->frame]);
		if (weighed[node])
			ctree_add(&one->tree, 0, nodes[node], ctree_weight(tree, 0, node));
	}
	free(weighed);
	free(nodes);
	free(frames);
}

/* The files of a side that are read. */
struct reading {
	const struct measurement *m;
	const struct workload *workload; /* as the side has it */
	char *program;                   /* the first word of its command; NULL: no file */
	struct profile *one;
	size_t count;
};

/*
 * Adds the file at `path`, if it is a program. That of the command is called the same on both
 * sides, whatever a map of the user's calls it.
 */
static int
add_file(struct reading *reading, const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	const bool is_command = real && reading->program && strcmp(real, reading->program) == 0;
	struct profile file;
	int result = 0;

	free(real);
	if (!elf_is_image(path))
		return 0;
	profile_init(&file);
	result = ingest_file(&file, path, NULL, err);
	if (result == 0) {
		add_sections(reading->one, &file,
			file_basename(is_command ? reading->m->workload->run[0] : path));
		reading->count++;
	}
	profile_release(&file);
	return result;
}

/* Adds the files that the build makes: the command's, and the libraries that they load. */
static int
add_own_files(struct reading *reading, enum measure_side i, struct err *err)
{
	const struct measured_side *side = &reading->m->sides[i];
	const char *root = i == MEASURE_BASE ? reading->m->base->root : NULL;
	const char *lines = strtab_str(&side->profile.strings, side->profile.files);
	struct profile_file file;
	int result = 0;

	while (result == 0 && profile_files_next(&lines, &file)) {
		char *name = mem_dup(file.name, file.name_len);
		char *path = root ? file_join(root, name) : mem_strdup(name);

		if (name[0] != '/' && !file.sampled)
			result = add_file(reading, path, err);
		free(path);
		free(name);
	}
	return result;
}

/* Whether the first word of the command is a program that runs what other words name. */
static bool
is_launcher(const struct reading *reading)
{
	const char *word = reading->workload->run[0];

	return strcmp(file_basename(word), "env") == 0 ||
	       program_script_endings(word, reading->program) != NULL;
}

static int
read_files(struct reading *reading, enum measure_side side, struct err *err)
{
	if (add_own_files(reading, side, err) < 0)
		return -1;
	/* The program is installed, or a map of the user's names it. */
	if (reading->count == 0 && reading->program && !is_launcher(reading) &&
		add_file(reading, reading->program, err) < 0)
		return -1;
	if (reading->count > 0)
		return 0;
	err_set(err, ERR_MEASURE, "the command names no program file that has a size: '%s'",
		reading->workload->run[0]);
	return err_note(err,
		"write 'run' as a list that begins with the program, such as [./parse, a.json]");
}

int
program_size_read(
	const struct measurement *m, enum measure_side side, struct profile *one, struct err *err)
{
	struct reading reading = {.m = m, .workload = &m->sides[side].workload, .one = one};
	char *path = program_file(reading.workload, 0);

	profile_init(one);
	profile_add_run(one);
	reading.program = path ? realpath(path, NULL) : NULL;
	const int result = read_files(&reading, side, err);
	struct run *run = &one->runs[0];

	run->cost_total = profile_column_total(one, 0);
	run->samples = (uint64_t)run->cost_total;
	run->measured = true;
	run->executions = 1;
	free(reading.program);
	free(path);
	return result;
}
