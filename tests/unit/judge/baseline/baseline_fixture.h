/*
 * What the tests of baseline/ share: a store in its own folder, and a small profile.
 */
#ifndef BASELINE_FIXTURE_H
#define BASELINE_FIXTURE_H

#include "base/err.h"
#include "base/file.h"
#include "baseline/store.h"
#include "profile/counters.h"
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 3

struct baseline_fixture {
	char dir[40];
	char *folder; /* of one baseline in it */
	struct profile profile;
	struct baseline_info info;
	struct baseline read;
	bool found;
	struct err err;
};

/* Runs of two stacks, with weights made from `seed`. */
static inline void
baseline_fixture_fill(struct profile *profile, unsigned seed)
{
	profile_init(profile);
	node_id main_node = ctree_child(
		&profile->tree, CTREE_ROOT, profile_frame(profile, "main", 4, FRAME_USER));
	node_id leaf = ctree_child(
		&profile->tree, main_node, profile_frame(profile, "sys_read", 8, FRAME_KERNEL));

	for (unsigned i = 0; i < RUNS; i++) {
		size_t column = profile_add_run(profile);
		struct run *run = &profile->runs[column];

		ctree_add(&profile->tree, i, main_node, seed + i);
		ctree_add(&profile->tree, i, leaf, 10.0 * seed + i);
		*run = (struct run){
			.measured = true,
			.executions = 40,
			.cost_total = 1e9 / 3 + seed + i,
			.cpu_ns = 333333333 + seed,
			.wall_ns = ((uint64_t)1 << 53) + 1 + i,
			.period = 200040,
			.expected_samples = 1666.1 + i,
			.samples = 11 * (uint64_t)seed + 2 * (uint64_t)i,
			.lost = UINT64_MAX,
			.throttled = 1,
			.broken_stacks = 2,
			.truncated_stacks = 1,
			.unknown_frames = 3,
			.context_switches = 4,
			.migrations = 5,
			.harness_cpu_ns = 6,
		};
		counter_set(run, COUNTER_MAX_RSS, 1e6 / 3 + seed + i);
		if (i > 0)
			counter_set(run, COUNTER_WRITE_BYTES, i);
	}
	profile->event = strtab_intern_str(&profile->strings, "cpu-clock");
	profile->command = strtab_intern_str(&profile->strings, "./a \"b\"");
	profile->cpu_choice = strtab_intern_str(&profile->strings, "libcrypto.so.3\n");
	profile->variants = strtab_intern_str(&profile->strings, "quick => add\n");
	profile->files =
		strtab_intern_str(&profile->strings, "aa  bin/program\nbb */lib/libc.so.6\n");
	profile->callgraph = strtab_intern_str(&profile->strings, "dwarf");
	profile->callgraph_why = strtab_intern_str(&profile->strings, "no frame pointers");
	profile->stack_bytes = 8192;
	profile->host = strtab_intern_str(&profile->strings, "a host");
	profile->started = 1767225600;
	profile->duration_s = 12.5;
	profile_sort(profile);
}

static inline void
baseline_fixture_init(struct baseline_fixture *f)
{
	*f = (struct baseline_fixture){.dir = "/tmp/baseline-test-XXXXXX"};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(f->dir));
	f->folder = baseline_path(f->dir, "x86_64-a-b", "parse", "cpu");
	baseline_fixture_fill(&f->profile, 7);
	f->info = (struct baseline_info){
		.workload = "parse",
		.metric = "cpu",
		.event = "cpu-clock",
		.frequency_hz = 4999,
		.unit = "ns",
		.machine_class = "x86_64-a-b",
		.machine = {.arch = "x86_64",
			.cpu_model = "A \xff B",
			.cpus = 2,
			.memory_gib = 3.9},
		.commit = "0123456789abcdef0123456789abcdef01234567",
		.created = 1767225600,
	};
	memset(f->info.workload_hash, 'a', 64);
	memset(f->info.data_digest, 'd', 64);
}

static inline void
baseline_fixture_release(struct baseline_fixture *f)
{
	file_remove_tree(f->dir, &f->err);
	profile_release(&f->profile);
	free(f->folder);
}

static inline int
baseline_fixture_write(struct baseline_fixture *f)
{
	return baseline_write(f->folder, &f->info, &f->profile, &f->err);
}

static inline int
baseline_fixture_read(struct baseline_fixture *f)
{
	return baseline_read(&f->read, f->folder, &f->found, &f->err);
}

/* How many names there are in a folder, hidden ones too, without "." and "..". */
static inline unsigned
baseline_fixture_count(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

#endif
