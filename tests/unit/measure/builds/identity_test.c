#include "builds/identity.h"

#include "base/file.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_builds_identity(void);

/* A workload in its own folder, which is where it runs. */
struct bench {
	char dir[48];
	const char *argv[4];
	const char *env[2];
	struct workload workload;
	struct profile profile;
	struct err err;
};

static void
bench_init(struct bench *bench, const char *program, const char *argument)
{
	*bench = (struct bench){.dir = "/tmp/program-test-XXXXXX", .argv = {program, argument}};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(bench->dir));
	bench->workload.name = "work";
	bench->workload.run = bench->argv;
	bench->workload.env = bench->env;
	bench->workload.cwd = bench->dir;
	profile_init(&bench->profile);
}

static void
bench_release(struct bench *bench)
{
	profile_release(&bench->profile);
	file_remove_tree(bench->dir, &bench->err);
}

static void
path_in(const struct bench *bench, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", bench->dir, name);
}

static void
put_file(const struct bench *bench, const char *name, const char *text, mode_t mode)
{
	char path[128];

	path_in(bench, name, path);
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void
put_folder(const struct bench *bench, const char *name)
{
	char path[128];

	path_in(bench, name, path);
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

/* What runs, as it stands now, goes to bench->profile. */
static int
identify(struct bench *bench, char hash[SHA256_TEXT_SIZE])
{
	profile_release(&bench->profile);
	profile_init(&bench->profile);
	return identity_of_command(&bench->workload, NULL, &bench->profile, hash, &bench->err);
}

/* The hash on the line of profile->files that ends with `name`; "" if there is none. */
static const char *
hash_of(const struct bench *bench, const char *name)
{
	static char hash[SHA256_TEXT_SIZE];
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s\n", name);
	const char *files = strtab_str(&bench->profile.strings, bench->profile.files);
	const char *at = strstr(files, wanted);

	hash[0] = '\0';
	while (at && at > files && at[-1] != '\n')
		at--;
	if (at)
		snprintf(hash, sizeof(hash), "%.*s", (int)strcspn(at, " "), at);
	return hash;
}

/* Whether the hash is another one after `name` has got another text. */
static bool
hash_depends_on(struct bench *bench, const char *name)
{
	char before[65];
	char after[65];

	put_file(bench, name, "one", 0700);
	CU_ASSERT_EQUAL(identify(bench, before), 0);
	put_file(bench, name, "two", 0700);
	CU_ASSERT_EQUAL(identify(bench, after), 0);
	CU_ASSERT_EQUAL(strlen(after), 64);
	return strcmp(before, after) != 0;
}

static void
the_hash_is_of_the_program_and_its_script(void)
{
	struct bench bench;

	bench_init(&bench, "./program", "script.py");
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	CU_ASSERT_TRUE(hash_depends_on(&bench, "script.py"));
	CU_ASSERT_FALSE(hash_depends_on(&bench, "other"));
	bench_release(&bench);
}

static void
an_argument_that_is_no_file_is_left_out(void)
{
	struct bench bench;
	char hash[65];

	bench_init(&bench, "./program", "1000");
	put_file(&bench, "program", "one", 0700);
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	put_folder(&bench, "1000");
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	bench_release(&bench);
}

/* Nobody writes into it: whoever opens it to read waits. */
static void
a_pipe_is_not_read(void)
{
	struct bench bench;
	char path[128];
	char hash[65];

	bench_init(&bench, "/bin/true", "pipe");
	path_in(&bench, "pipe", path);
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	alarm(20);
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	alarm(0);
	bench_release(&bench);
}

static void
a_bare_name_is_looked_for_as_the_program_will_be(void)
{
	struct bench bench;

	bench_init(&bench, "program", NULL);
	/* A folder of the name, and a file that cannot be run, are passed over. */
	bench.env[0] = "PATH=/nowhere:first:second::third";
	put_folder(&bench, "first");
	put_folder(&bench, "first/program");
	put_folder(&bench, "second");
	put_folder(&bench, "third");
	CU_ASSERT_TRUE(hash_depends_on(&bench, "third/program"));
	/* The current folder, which the empty part stands for, comes before it. */
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	CU_ASSERT_FALSE(hash_depends_on(&bench, "third/program"));
	CU_ASSERT_TRUE(hash_depends_on(&bench, "second/program"));
	put_file(&bench, "second/program", "one", 0600);
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	bench_release(&bench);
}

/* Builds the source as an executable or library `name`. */
static void
compile(const struct bench *bench, const char *name, const char *source, const char *flags)
{
	char command[512];

	put_file(bench, "source.c", source, 0600);
	snprintf(command, sizeof(command), "cd %s && cc %s -o %s source.c %s", bench->dir,
		strstr(flags, "-shared") ? "-fPIC" : "", name, flags);
	CU_ASSERT_EQUAL_FATAL(system(command), 0);
}

static void
a_comment_changes_no_program(void)
{
	struct bench bench;
	char hashes[3][SHA256_TEXT_SIZE];

	bench_init(&bench, "./program", NULL);
	compile(&bench, "program", "int main(void) { return 0; }", "-g");
	CU_ASSERT_EQUAL(identify(&bench, hashes[0]), 0);
	compile(&bench, "program", "/* zero */\n\nint main(void) { return 0; }", "-g");
	CU_ASSERT_EQUAL(identify(&bench, hashes[1]), 0);
	compile(&bench, "program", "int main(void) { return 1; }", "-g");
	CU_ASSERT_EQUAL(identify(&bench, hashes[2]), 0);
	CU_ASSERT_STRING_EQUAL(hashes[0], hashes[1]);
	CU_ASSERT_STRING_NOT_EQUAL(hashes[0], hashes[2]);
	bench_release(&bench);
}

static void
the_libraries_are_those_that_are_loaded(void)
{
	struct bench bench;
	char hashes[2][SHA256_TEXT_SIZE];
	char first[SHA256_TEXT_SIZE];

	bench_init(&bench, "./program", NULL);
	bench.env[0] = "LD_LIBRARY_PATH=.";
	compile(&bench, "libf.so", "int f(void) { return 0; }", "-shared");
	compile(&bench, "program", "int f(void); int main(void) { return f(); }", "-L. -lf");
	CU_ASSERT_EQUAL(identify(&bench, hashes[0]), 0);
	CU_ASSERT_EQUAL(strlen(hash_of(&bench, "/libf.so")), 64);
	snprintf(first, sizeof(first), "%s", hash_of(&bench, "/libf.so"));
	compile(&bench, "libf.so", "int f(void) { return 2; }", "-shared");
	CU_ASSERT_EQUAL(identify(&bench, hashes[1]), 0);
	CU_ASSERT_STRING_NOT_EQUAL(first, hash_of(&bench, "/libf.so"));
	CU_ASSERT_STRING_EQUAL(hashes[0], hashes[1]);
	bench_release(&bench);
}

/* An interpreter's name is enough: it is not run. */
static void
an_interpreter_may_load_all_scripts(void)
{
	struct bench bench;
	struct build_side side = {.root = bench.dir};
	char hash[SHA256_TEXT_SIZE];
	char first[SHA256_TEXT_SIZE];

	bench_init(&bench, "./python3.11", "run.py");
	put_file(&bench, "python3.11", "an interpreter", 0700);
	put_file(&bench, "run.py", "import module", 0600);
	put_file(&bench, "module.py", "x = 1", 0600);
	CU_ASSERT_EQUAL(
		identity_of_command(&bench.workload, &side, &bench.profile, hash, &bench.err), 0);
	snprintf(first, sizeof(first), "%s", hash_of(&bench, "all *.py"));
	CU_ASSERT_EQUAL(strlen(first), 64);
	put_file(&bench, "module.py", "x = 2", 0600);
	profile_release(&bench.profile);
	profile_init(&bench.profile);
	CU_ASSERT_EQUAL(
		identity_of_command(&bench.workload, &side, &bench.profile, hash, &bench.err), 0);
	CU_ASSERT_STRING_NOT_EQUAL(first, hash_of(&bench, "all *.py"));
	bench_release(&bench);
}

/* It is another program's then: only the interpreter that is run loads them. */
static void
an_interpreter_that_is_only_named_loads_none(void)
{
	struct bench bench;
	char hash[SHA256_TEXT_SIZE];

	bench_init(&bench, "./program", "python3");
	put_file(&bench, "program", "one", 0700);
	put_file(&bench, "python3", "#!/usr/bin/python3\n", 0700);
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	UNIT_STR_EQ(hash_of(&bench, "all *.py"), "");
	/* Nor one that is not there. */
	bench.argv[0] = "./python3.none";
	bench.argv[1] = NULL;
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	UNIT_STR_EQ(hash_of(&bench, "all *.py"), "");
	bench.argv[0] = "./python3";
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	CU_ASSERT_EQUAL(strlen(hash_of(&bench, "all *.py")), 64);
	bench_release(&bench);
}

static void
what_was_sampled_is_added(void)
{
	struct bench bench;
	char hash[SHA256_TEXT_SIZE];

	bench_init(&bench, "./program", NULL);
	put_file(&bench, "program", "one", 0700);
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	frame_id frame = profile_frame(&bench.profile, "f", 1, FRAME_USER);

	bench.profile.frames.frames[frame].module =
		strtab_intern_str(&bench.profile.strings, "/bin/sh");
	frame = profile_frame(&bench.profile, "g", 1, FRAME_USER);
	bench.profile.frames.frames[frame].module =
		strtab_intern_str(&bench.profile.strings, "/tmp/gone since");
	identity_add_sampled(NULL, &bench.profile);
	CU_ASSERT_EQUAL(strlen(hash_of(&bench, "*/bin/sh")), 64);
	CU_ASSERT_STRING_EQUAL(hash_of(&bench, "*/tmp/gone since"), "-");
	bench_release(&bench);
}

static void
a_command_that_names_the_same_files_takes_their_identity(void)
{
	static const char *const names[] = {"a benchmark", "script", "missing"};
	struct bench bench;
	char hash[SHA256_TEXT_SIZE];

	bench_init(&bench, "./program", "benchmark");
	put_file(&bench, "program", "one", 0700);
	put_file(&bench, "script", "two", 0600);
	CU_ASSERT_EQUAL(identify(&bench, hash), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *const argv[] = {"./program", names[i], NULL};
		struct workload other = bench.workload;
		struct profile taken;

		other.run = argv;
		profile_init(&taken);
		CU_ASSERT_EQUAL(
			identity_take(&other, &bench.workload, &bench.profile, &taken), i != 1);
		UNIT_STR_EQ(strtab_str(&taken.strings, taken.files),
			i == 1 ? "" : strtab_str(&bench.profile.strings, bench.profile.files));
		profile_release(&taken);
	}
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"the_hash_is_of_the_program_and_its_script", the_hash_is_of_the_program_and_its_script},
	{"an_argument_that_is_no_file_is_left_out", an_argument_that_is_no_file_is_left_out},
	{"a_pipe_is_not_read", a_pipe_is_not_read},
	{"a_bare_name_is_looked_for_as_the_program_will_be",
		a_bare_name_is_looked_for_as_the_program_will_be},
	{"a_comment_changes_no_program", a_comment_changes_no_program},
	{"the_libraries_are_those_that_are_loaded", the_libraries_are_those_that_are_loaded},
	{"an_interpreter_may_load_all_scripts", an_interpreter_may_load_all_scripts},
	{"an_interpreter_that_is_only_named_loads_none",
		an_interpreter_that_is_only_named_loads_none},
	{"what_was_sampled_is_added", what_was_sampled_is_added},
	{"a_command_that_names_the_same_files_takes_their_identity",
		a_command_that_names_the_same_files_takes_their_identity},
	{NULL, NULL},
};

void
suite_builds_identity(void)
{
	unit_suite("builds/identity", cases);
}
