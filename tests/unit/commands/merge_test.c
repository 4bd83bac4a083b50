/*
 * Shards made of the sample's workloads, merged: against one gate that has them all.
 */

#include "commands/merge.h"

#include "base/log.h"
#include "output/first_screen.h"
#include "output/large_gate.h"
#include "output/shard_scene.h"
#include "scratch.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_commands_merge(void);

#define SHARDS 3

struct bench {
	struct shard_scene scene;
	struct scratch scratch;
	char dirs[SHARDS + 1][128]; /* of the shards' reports, by index */
	struct buf text;
	struct err err;
	int exit_code;
};

/* A report in its own folder. */
static void
write_report(struct bench *bench, const char *dir)
{
	CU_ASSERT_EQUAL(file_make_dirs(dir, &bench->err), 0);
	CU_ASSERT_EQUAL_FATAL(output_write_all(&bench->scene.report, dir, &bench->err), 0);
	if (bench->scene.report.shard)
		CU_ASSERT_EQUAL_FATAL(shard_file_write(&bench->scene.report, dir, &bench->err), 0);
}

static void
write_shard(struct bench *bench, unsigned index)
{
	shard_scene_judge(&bench->scene, index);
	write_report(bench, bench->dirs[index]);
}

static void
bench_init(struct bench *bench)
{
	*bench = (struct bench){.exit_code = -1};
	log_set_level(LOG_ERROR);
	shard_scene_init(&bench->scene, SHARDS);
	scratch_init(&bench->scratch);
	for (unsigned i = 1; i <= SHARDS; i++) {
		snprintf(bench->dirs[i], sizeof(bench->dirs[i]), "%s/shard%u", bench->scratch.dir,
			i);
		write_shard(bench, i);
	}
}

static void
bench_release(struct bench *bench)
{
	log_set_level(LOG_INFO);
	buf_release(&bench->text);
	scratch_release(&bench->scratch);
	shard_scene_release(&bench->scene);
}

static int
merge(struct bench *bench, const char *const *paths, size_t n, const char *output)
{
	const struct merge_options options = {.paths = paths, .npaths = n, .output_dir = output};

	bench->err = (struct err){0};
	return merge_run(&options, &bench->exit_code, &bench->text, &bench->err);
}

/* Whether a file below both folders has the same bytes. */
static void
check_same(const char *a, const char *b, const char *name)
{
	char *paths[] = {file_join(a, name), file_join(b, name)};
	struct buf texts[2] = {0};
	struct err err = {0};

	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(file_read(paths[i], &texts[i], 1 << 26, &err), 0);
		free(paths[i]);
	}
	CU_ASSERT_EQUAL(texts[0].len, texts[1].len);
	CU_ASSERT(strcmp(buf_text(&texts[0]), buf_text(&texts[1])) == 0 &&
		  memcmp(buf_text(&texts[0]), buf_text(&texts[1]), texts[0].len) == 0);
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

/* The sample's folder is the one that the merged report is written to. */
static void
the_shards_give_every_byte_of_one_gates_report(void)
{
	struct bench bench;
	char whole[128];
	char merged[128];

	bench_init(&bench);
	/* The order of the paths does not matter. */
	const char *paths[] = {bench.dirs[2], bench.dirs[3], bench.dirs[1]};

	snprintf(whole, sizeof(whole), "%s/whole", bench.scratch.dir);
	snprintf(merged, sizeof(merged), "%s/merged", bench.scratch.dir);
	shard_scene_judge(&bench.scene, 0);
	bench.scene.report.folder = merged;
	write_report(&bench, whole);
	CU_ASSERT_EQUAL_FATAL(merge(&bench, paths, SHARDS, merged), 0);
	CU_ASSERT_EQUAL(bench.exit_code, bench.scene.report.exit_code);
	for (size_t i = 0; report_outputs[i]; i++)
		check_same(whole, merged, report_outputs[i]->name);
	for (size_t i = 0; workload_outputs[i]; i++) {
		if (workload_outputs[i] == &output_workload_page)
			continue;
		char *name = file_join("cjson_parse", workload_outputs[i]->name);

		check_same(whole, merged, name);
		free(name);
	}
	check_same(whole, merged, "gone/replay.bin");
	struct buf screen = {0};

	first_screen_write(&bench.scene.report, merged, &screen);
	UNIT_STR_EQ(buf_text(&bench.text), buf_text(&screen));
	buf_release(&screen);
	bench_release(&bench);
}

static void
check_refused(struct bench *bench, const char *const *paths, size_t n, const char *said)
{
	char output[128];

	snprintf(output, sizeof(output), "%s/merged", bench->scratch.dir);
	CU_ASSERT_EQUAL(merge(bench, paths, n, output), -1);
	CU_ASSERT_EQUAL(err_exit_code(&bench->err), 2);
	UNIT_CONTAINS(bench->err.text, said);
	CU_ASSERT_FALSE(file_exists(output));
}

static void
missing_and_doubled_shards_are_named(void)
{
	struct bench bench;

	bench_init(&bench);
	const char *first[] = {bench.dirs[2]};
	const char *twice[] = {bench.dirs[1], bench.dirs[2], bench.dirs[3], bench.dirs[2]};
	const char *none[] = {bench.dirs[1], "/nowhere"};

	check_refused(&bench, first, 1, "2 of 3 shards are missing: 1, 3");
	check_refused(&bench, twice, 2, "1 of 3 shards is missing: 3");
	check_refused(&bench, twice, 4, "shard 2 of 3 is given twice");
	check_refused(&bench, none, 2, "/nowhere");
	bench_release(&bench);
}

static void
shards_of_another_gate_are_refused(void)
{
	struct bench bench;

	bench_init(&bench);
	const char *paths[] = {bench.dirs[1], bench.dirs[2], bench.dirs[3]};
	struct shard_scene *scene = &bench.scene;

	scene->sample.report.commit = "1234";
	write_shard(&bench, 3);
	check_refused(&bench, paths, 3,
		"shards of different gates: their commit is fedcba9876543210fedcba9876543210"
		"fedcba98 and 1234");
	scene->sample.report.commit = "fedcba9876543210fedcba9876543210fedcba98";
	scene->sample.report.against = "HEAD^1";
	write_shard(&bench, 3);
	check_refused(&bench, paths, 3, "build to compare with is none and HEAD^1");
	scene->sample.report.against = NULL;
	scene->shard.settings = "0000";
	write_shard(&bench, 3);
	check_refused(&bench, paths, 3, "shards of gates with different settings");
	scene->shard.settings = "5e77";
	scene->entries[1].shard = 1;
	write_shard(&bench, 3);
	check_refused(&bench, paths, 3, "shards of different plans");
	bench_release(&bench);
}

/* A record that was put in by hand contradicts the plan of its shard. */
static void
a_record_of_another_workload_is_refused(void)
{
	struct bench bench;

	bench_init(&bench);
	const char *paths[] = {bench.dirs[1], bench.dirs[2], bench.dirs[3]};

	shard_scene_judge(&bench.scene, 2);
	struct workload renamed = bench.scene.sample.specs[1];

	/* The name of the plan's entry, and of the record that is written. */
	bench.scene.entries[1].workload = "deep";
	renamed.name = "deeper";
	bench.scene.judgements[1].input.workload = &renamed;
	CU_ASSERT_EQUAL(file_remove_tree(bench.dirs[2], &bench.err), 0);
	write_report(&bench, bench.dirs[2]);
	check_refused(&bench, paths, 3, "its workloads are not those of its plan");
	bench_release(&bench);
}

/*
 * In a large report call trees are read again for the files of each workload: these are as they are
 * where all are in memory. Every tenth workload fails; of the others only replay.bin has all.
 */
static void
files_of_a_large_report_have_the_call_trees(void)
{
	const struct large_gate gate = {.nworkloads = REPORT_LARGE + 10,
		.nshards = 2,
		.nstacks = 60,
		.nfunctions = 30,
		.runs = 10,
		.slow_every = 10};
	struct bench bench = {.exit_code = -1};
	char merged[128];
	char large[128];

	log_set_level(LOG_ERROR);
	scratch_init(&bench.scratch);
	for (unsigned i = 0; i < 2; i++)
		snprintf(bench.dirs[i], sizeof(bench.dirs[i]), "%s/%u", bench.scratch.dir, i + 1);
	snprintf(merged, sizeof(merged), "%s/merged", bench.scratch.dir);
	snprintf(large, sizeof(large), "%s/large", bench.scratch.dir);
	CU_ASSERT_EQUAL_FATAL(large_gate_write(&gate, bench.scratch.dir, &bench.err), 0);
	struct merge_options options = {.paths = (const char *[]){bench.dirs[0], bench.dirs[1]},
		.npaths = 2,
		.output_dir = merged};

	CU_ASSERT_EQUAL_FATAL(merge_run(&options, &bench.exit_code, &bench.text, &bench.err), 0);
	CU_ASSERT_EQUAL(bench.exit_code, 1);
	CU_ASSERT_EQUAL_FATAL(rename(merged, large), 0);
	options.full = true;
	CU_ASSERT_EQUAL_FATAL(merge_run(&options, &bench.exit_code, &bench.text, &bench.err), 0);
	check_same(large, merged, "junit.xml");
	for (size_t i = 0; i < gate.nworkloads; i++) {
		char *name = mem_printf("workload_%05zu/replay.bin", i);

		check_same(large, merged, name);
		free(name);
	}
	for (size_t i = 0; workload_outputs[i]; i++) {
		char *name = file_join("workload_00010", workload_outputs[i]->name);

		if (workload_outputs[i] != &output_workload_page)
			check_same(large, merged, name);
		free(name);
	}
	log_set_level(LOG_INFO);
	buf_release(&bench.text);
	scratch_release(&bench.scratch);
}

#define MEMORY_STACKS 1000
#define MEMORY_RUNS 10 /* a side */
/*
 * Bytes of memory for each stack and run of a merge. It was 21 when this was written, and 53 while
 * weights were doubles and arenas began with 64 KiB; 26 while comparisons kept the sums of
 * their functions, which are many here: 300 for 1000 stacks. It is 16 since call trees are freed.
 */
#define MEMORY_BYTES 20

/* The peak memory of a process that merges the shards of so many workloads, in KiB. */
static long
peak_of_merge(size_t nworkloads)
{
	const struct large_gate gate = {.nworkloads = nworkloads,
		.nshards = 2,
		.nstacks = MEMORY_STACKS,
		.nfunctions = 300,
		.runs = MEMORY_RUNS};
	struct scratch scratch;
	char names[3][128];
	const char *paths[] = {names[0], names[1]};
	struct rusage usage = {0};
	struct err err = {0};
	int status = -1;

	scratch_init(&scratch);
	for (int i = 0; i < 3; i++)
		snprintf(names[i], sizeof(names[i]), "%s/%d", scratch.dir, i + 1);
	CU_ASSERT_EQUAL_FATAL(large_gate_write(&gate, scratch.dir, &err), 0);
	/* A child's peak begins with what its parent holds. */
	malloc_trim(0);
	pid_t child = fork();

	if (child == 0) {
		const struct merge_options options = {
			.paths = paths, .npaths = 2, .output_dir = names[2]};
		struct buf text = {0};
		int exit_code = -1;

		log_set_level(LOG_ERROR);
		_exit(merge_run(&options, &exit_code, &text, &err) == 0 ? exit_code : 99);
	}
	CU_ASSERT_FATAL(child > 0);
	CU_ASSERT_EQUAL(wait4(child, &status, 0, &usage), child);
	CU_ASSERT_EQUAL(status, 0);
	scratch_release(&scratch);
	return usage.ru_maxrss;
}

/* More than REPORT_LARGE workloads, all of which pass. */
static void
memory_grows_little_by_each_workload(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	unit_skip("a sanitizer takes memory of its own");
	return;
#endif
	const size_t n = 60;
	long some = peak_of_merge(n);
	long twice = peak_of_merge(2 * n);
	double bytes = (double)(twice - some) * 1024 / (double)n /
		       (double)(MEMORY_STACKS * 2 * MEMORY_RUNS);

	CU_ASSERT(bytes > 4 && bytes < MEMORY_BYTES);
	if (getenv("MERGE_MEMORY"))
		fprintf(stderr, "%.1f bytes for each stack and run\n", bytes);
}

void
suite_commands_merge(void)
{
	static const struct unit_case cases[] = {
		{"the_shards_give_every_byte_of_one_gates_report",
			the_shards_give_every_byte_of_one_gates_report},
		{"missing_and_doubled_shards_are_named", missing_and_doubled_shards_are_named},
		{"shards_of_another_gate_are_refused", shards_of_another_gate_are_refused},
		{"a_record_of_another_workload_is_refused",
			a_record_of_another_workload_is_refused},
		{"files_of_a_large_report_have_the_call_trees",
			files_of_a_large_report_have_the_call_trees},
		{"memory_grows_little_by_each_workload", memory_grows_little_by_each_workload},
		{NULL, NULL},
	};

	unit_suite("commands/merge", cases);
}
