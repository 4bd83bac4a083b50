/*
 * What a baseline must survive: its writer killed at any instant, several writers at once, a full
 * disk, a folder that may not be written to. Whatever cannot be undone happens in a child.
 */
#include "base/draft.h"
#include "baseline/store_internal.h"
#include "baseline_fixture.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_baseline_store_lock(void);

#define KILLS 60
#define OLD_SEED 7
#define NEW_SEED 9

static void
write_forever(const struct baseline_fixture *f)
{
	struct profile profiles[2];
	struct err err = {0};

	baseline_fixture_fill(&profiles[0], OLD_SEED);
	baseline_fixture_fill(&profiles[1], NEW_SEED);
	for (unsigned i = 0;; i++) {
		if (baseline_write(f->folder, &f->info, &profiles[i % 2], &err) < 0)
			_exit(1);
	}
}

/* The baseline is whole: every column is the old one's, or every column the new one's. */
static bool
is_old_or_new(const struct profile *profile)
{
	double first = profile_column_total(profile, 0);
	unsigned seed = first == 11 * OLD_SEED ? OLD_SEED : NEW_SEED;

	for (size_t i = 0; i < profile->nruns; i++) {
		if (profile_column_total(profile, i) != 11.0 * seed + 2.0 * (double)i)
			return false;
	}
	return profile->nruns == RUNS;
}

static void
kill_after(const struct baseline_fixture *f, long microseconds)
{
	struct timespec pause = {.tv_nsec = microseconds * 1000};
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		write_forever(f);
	nanosleep(&pause, NULL);
	kill(child, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	/* It was still writing, rather than having failed by itself. */
	CU_ASSERT(WIFSIGNALED(status));
}

static void
a_killed_writer_leaves_the_old_or_the_new_one(void)
{
	struct baseline_fixture f;
	char parent[128];

	baseline_fixture_init(&f);
	snprintf(parent, sizeof(parent), "%s/x86_64-a-b/parse", f.dir);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	srandom(1);
	for (int i = 0; i < KILLS; i++) {
		kill_after(&f, 500 + random() % 20000);
		CU_ASSERT_EQUAL(baseline_fixture_read(&f), 0);
		CU_ASSERT(f.found);
		if (!f.found) {
			printf("after kill %d: %s\n", i, f.err.text);
			break;
		}
		CU_ASSERT(is_old_or_new(&f.read.profile));
		baseline_release(&f.read);
	}
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), 0);
	/* A process looks once by itself. */
	draft_sweep(parent);
	CU_ASSERT_EQUAL(baseline_fixture_count(parent), 1);
	baseline_fixture_release(&f);
}

static void
writers_at_once_lose_no_session(void)
{
	struct baseline_fixture f;
	enum { WRITERS = 4, ROUNDS = 2 };
	pid_t children[WRITERS];

	baseline_fixture_init(&f);
	for (int i = 0; i < WRITERS; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		for (int round = 0; round < ROUNDS; round++) {
			enum baseline_change change;

			if (baseline_add(f.folder, &f.info, &f.profile, &change, &f.err) < 0)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status = -1;

		CU_ASSERT_EQUAL(waitpid(children[i], &status, 0), children[i]);
		CU_ASSERT_EQUAL(status, 0);
	}
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.nsessions, WRITERS * ROUNDS);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
reading_while_it_is_exchanged_finds_it_whole(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	pid_t child = fork();

	if (child == 0)
		write_forever(&f);
	for (int i = 0; i < 300; i++) {
		if (baseline_fixture_read(&f) < 0 || !f.found) {
			CU_FAIL("a baseline could not be read while it was exchanged");
			printf("%s\n", f.err.text);
			break;
		}
		CU_ASSERT(is_old_or_new(&f.read.profile));
		baseline_release(&f.read);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	baseline_fixture_release(&f);
}

/* A profile whose runs.folded has about 60 kB. */
static void
fill_large(struct profile *profile)
{
	baseline_fixture_fill(profile, NEW_SEED);
	for (unsigned i = 0; i < 1000; i++) {
		char name[64];
		int len = snprintf(name, sizeof(name), "function_with_a_rather_long_name_%04u", i);
		frame_id frame = profile_frame(profile, name, (size_t)len, FRAME_USER);

		ctree_add(&profile->tree, 0, ctree_child(&profile->tree, CTREE_ROOT, frame), 1);
	}
	profile_sort(profile);
}

enum { CHILD_GOOD = 0, CHILD_BAD = 1, CHILD_CANNOT = 77 };

/* In a child where little can be written: the large one fails, the old one stays, alone. Where
 * there was none, no folder is left. */
static int
write_too_much(struct baseline_fixture *f)
{
	char parent[128];
	struct profile large;

	snprintf(parent, sizeof(parent), "%s/x86_64-a-b/parse", f->dir);
	if (baseline_fixture_write(f) < 0)
		return CHILD_CANNOT;
	fill_large(&large);
	if (baseline_write(f->folder, &f->info, &large, &f->err) == 0 ||
		!strstr(f->err.text, "is as it was before"))
		return CHILD_BAD;
	if (baseline_fixture_count(parent) != 1 || baseline_fixture_count(f->folder) != 2)
		return CHILD_BAD;
	if (baseline_fixture_read(f) < 0 || !f->found || !is_old_or_new(&f->read.profile))
		return CHILD_BAD;
	char *other = baseline_path(f->dir, "other", "parse", "cpu");
	const int result = baseline_write(other, &f->info, &large, &f->err);

	free(other);
	return result < 0 && baseline_fixture_count(f->dir) == 1 ? CHILD_GOOD : CHILD_BAD;
}

static int
on_a_full_disk(struct baseline_fixture *f)
{
	/* A separate mount that ends with this process. */
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", f->dir, "tmpfs", 0, "size=32k") < 0)
		return CHILD_CANNOT;
	return write_too_much(f);
}

static int
past_a_size_limit(struct baseline_fixture *f)
{
	struct rlimit limit = {16384, 16384};

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return CHILD_CANNOT;
	return write_too_much(f);
}

static int
without_permission(struct baseline_fixture *f)
{
	if (baseline_fixture_write(f) < 0 || chmod(f->dir, 0555) < 0)
		return CHILD_BAD;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return CHILD_CANNOT;
	char *other = baseline_path(f->dir, "other", "parse", "cpu");
	int result = baseline_write(other, &f->info, &f->profile, &f->err);

	free(other);
	if (result == 0 || !strstr(f->err.text, strerror(EACCES)))
		return CHILD_BAD;
	if (baseline_fixture_count(f->dir) != 1)
		return CHILD_BAD;
	return baseline_fixture_read(f) == 0 && f->found ? CHILD_GOOD : CHILD_BAD;
}

static void
in_a_child(int (*what)(struct baseline_fixture *), const char *cannot)
{
	struct baseline_fixture f;
	int status = -1;

	baseline_fixture_init(&f);
	pid_t child = fork();

	if (child == 0)
		_exit(what(&f));
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT)
		unit_skip(cannot);
	else
		CU_ASSERT_EQUAL(status, CHILD_GOOD);
	chmod(f.dir, 0755);
	baseline_fixture_release(&f);
}

/* As after a write that failed, or of another name. */
static void
a_lock_of_a_baseline_that_is_not_written_leaves_no_folder(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	int lock = store_lock(f.folder, &f.err);

	CU_ASSERT_TRUE_FATAL(lock >= 0);
	store_unlock(lock, f.folder);
	CU_ASSERT_EQUAL(baseline_fixture_count(f.dir), 0);
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), 0);
	lock = store_lock(f.folder, &f.err);
	CU_ASSERT_TRUE_FATAL(lock >= 0);
	store_unlock(lock, f.folder);
	CU_ASSERT_TRUE(file_is_dir(f.folder));
	baseline_fixture_release(&f);
}

static void
a_full_disk_keeps_the_old_one(void)
{
	in_a_child(on_a_full_disk, "a tmpfs cannot be mounted here");
}

static void
a_file_size_limit_keeps_the_old_one(void)
{
	in_a_child(past_a_size_limit, "RLIMIT_FSIZE cannot be set here");
}

static void
a_read_only_store_is_reported_and_untouched(void)
{
	in_a_child(without_permission, "another user cannot be taken here");
}

void
suite_baseline_store_lock(void)
{
	static const struct unit_case cases[] = {
		{"a_killed_writer_leaves_the_old_or_the_new_one",
			a_killed_writer_leaves_the_old_or_the_new_one},
		{"writers_at_once_lose_no_session", writers_at_once_lose_no_session},
		{"reading_while_it_is_exchanged_finds_it_whole",
			reading_while_it_is_exchanged_finds_it_whole},
		{"a_lock_of_a_baseline_that_is_not_written_leaves_no_folder",
			a_lock_of_a_baseline_that_is_not_written_leaves_no_folder},
		{"a_full_disk_keeps_the_old_one", a_full_disk_keeps_the_old_one},
		{"a_file_size_limit_keeps_the_old_one", a_file_size_limit_keeps_the_old_one},
		{"a_read_only_store_is_reported_and_untouched",
			a_read_only_store_is_reported_and_untouched},
		{NULL, NULL},
	};

	unit_suite("baseline/store_lock", cases);
}
