/* Pairs of small programs, made by the compiler of this machine, and runs that entered some
 * functions. */
#include "code/build_changes.h"

#include "base/mem.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_code_build_changes(void);

static const char source[] =
	"#ifndef NUMBER\n#define NUMBER 3\n#endif\n"
	"#ifndef ENTRY\n#define ENTRY 5\n#endif\n"
	"#ifndef TEXT\n#define TEXT \"one\"\n#endif\n"
	"#ifndef CHOSEN\n#define CHOSEN called\n#endif\n"
	"#ifndef VALUE\n#define VALUE 7\n#endif\n"
	"#ifndef FILL\n#define FILL 11\n#endif\n"
	"#ifndef LAST\n#define LAST 4\n#endif\n"
	"#ifndef SOURCE\n#define SOURCE \"/source/a.c\"\n#endif\n"
	"#ifndef LOCAL\n#define LOCAL 1\n#endif\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"volatile int sink;\n"
	"volatile int table[4] = {1, 2, ENTRY, 4};\n"
	"int beside = VALUE;\n"
	"static int filled[4];\nstatic int alone;\n"
	"__thread int local = LOCAL;\n"
	"static const char *const words[] = {TEXT, \"two\"};\n"
	"struct level { const char *const *words; };\n"
	"static const struct level levels[] = {{words}};\n"
	"KEEP int called(int x) { return x * NUMBER; }\n"
	"KEEP int other(int x) { return x * 9; }\n"
	"int (*chosen)(int) = CHOSEN;\n"
	"KEEP int calls(int x) { return called(x) + 1; }\n"
	"KEEP int calls_chosen(int x) { return chosen(x) + 1; }\n"
	"KEEP int reads_table(int x) { return table[x & 3]; }\n"
	"KEEP int reads_words(int x) { return levels[0].words[x & 1][0]; }\n"
	"KEEP int reads_filled(int x) { return filled[x & 3]; }\n"
	"KEEP int reads_local(int x) { return local + x; }\n"
	"KEEP int reads_long(int x) { const int copy[100] = {1, 2, 3, [90] = LAST}; int sum = 0;\n"
	"  for (int i = 0; i < 100; i++) sum = sum * x + copy[i]; return sum; }\n"
	"KEEP const char *names_file(void) { return SOURCE; }\n"
	"KEEP int nothing(int x) { return x + 2; }\n"
	"KEEP void fill(void) { filled[1] = FILL; }\n"
	"KEEP void fill_alone(void) { alone = FILL; }\n"
	"#ifdef ALONE\n#define START fill_alone\n#else\n#define START fill\n#endif\n"
	"__attribute__((constructor, used)) static void start(void) { START(); }\n"
	"int main(int c, char **v) { (void)v; sink = beside + alone; return calls(c) +\n"
	"  calls_chosen(c) + reads_table(c) + reads_words(c) + reads_filled(c) + nothing(c) +\n"
	"  reads_local(c) + other(c) + reads_long(c) + names_file()[1]; }\n";

static struct scratch scratch;

/* Compiles the source with these definitions; false where there is no compiler. */
static bool
compile(const char *name, const char *flags)
{
	char command[1024];
	FILE *file = fopen(scratch_path(&scratch, "p.c"), "we");

	if (!file)
		return false;
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command),
		"cd %s && gcc -O1 -w -fno-inline -fno-ipa-ra %s -o %s p.c 2>log", scratch.dir,
		flags, name);
	const int status = system(command); /* NOLINT(cert-env33-c) */

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Two builds and a run of the later one. */
struct reached {
	struct build_changes *changes;
	bool *within;
	bool *before;
	size_t count;
};

static bool
open_pair(struct reached *reached, const char *flags_before, const char *flags_after)
{
	char before[128];
	char after[128];
	struct err err = {0};

	*reached = (struct reached){0};
	scratch_init(&scratch);
	if (!compile("before", flags_before) || !compile("after", flags_after)) {
		unit_skip("no compiler");
		return false;
	}
	snprintf(before, sizeof(before), "%s", scratch_path(&scratch, "before"));
	snprintf(after, sizeof(after), "%s", scratch_path(&scratch, "after"));
	reached->changes = build_changes_open(&(struct build_program){before, NULL},
		&(struct build_program){after, NULL}, NULL, &err);
	if (!reached->changes) {
		unit_skip(err.text);
		return false;
	}
	build_changes_functions(reached->changes, &reached->count);
	reached->within = mem_zalloc(reached->count, sizeof(bool));
	reached->before = mem_zalloc(reached->count, sizeof(bool));
	return true;
}

static void
close_pair(struct reached *reached)
{
	build_changes_close(reached->changes);
	free(reached->within);
	free(reached->before);
	scratch_release(&scratch);
}

/* Marks the functions of a list with blanks; the last one's number. */
static size_t
mark(const struct reached *reached, const char *names, bool *marks)
{
	size_t count;
	const struct build_function *functions = build_changes_functions(reached->changes, &count);
	size_t last = 0;
	char *copy = mem_strdup(names);
	char *rest = NULL;

	memset(marks, 0, count * sizeof(*marks));
	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		for (size_t i = 0; i < count; i++)
			if (functions[i].marked && strcmp(functions[i].linker, name) == 0)
				marks[last = i] = true;
	free(copy);
	return last;
}

/* What a run reaches that entered these functions, all of which count. */
static struct build_reach
reach(const struct reached *reached, const char *within)
{
	mark(reached, within, reached->within);
	return build_changes_reach(
		reached->changes, &(struct build_use){.within = reached->within});
}

/* The same, with others ahead of these, of a benchmark of this name. */
static struct build_reach
reach_named(const struct reached *reached, const char *before, const char *within, const char *name)
{
	const size_t root = mark(reached, within, reached->within);

	mark(reached, before, reached->before);
	return build_changes_reach(reached->changes, &(struct build_use){.within = reached->within,
							     .before = reached->before,
							     .root = root,
							     .name = name,
							     .registration = "benchmark::"});
}

static struct build_reach
reach_after(const struct reached *reached, const char *before, const char *within)
{
	return reach_named(reached, before, within, within);
}

#define PIE "-fPIE -pie "
#define FIXED "-fno-pie -no-pie "

static void
check_kind(const char *link, const char *change, const char *within, bool is_reached)
{
	struct reached reached;
	char flags[256];

	snprintf(flags, sizeof(flags), "%s%s", link, change);
	if (open_pair(&reached, link, flags)) {
		const struct build_reach found = reach(&reached, within);

		CU_ASSERT_EQUAL(found.kind != REACH_NOTHING, is_reached);
		if ((found.kind != REACH_NOTHING) != is_reached)
			printf("\n%s: %s reaches %s\n", flags, within,
				found.what ? found.what : "-");
	}
	close_pair(&reached);
}

/* Each change is found from the functions that lead to it, and from no others. */
static void
check_changes(const char *link)
{
	check_kind(link, "-DNUMBER=4", "calls called", true);
	check_kind(link, "-DNUMBER=4", "nothing reads_table", false);
	check_kind(link, "-DENTRY=6", "reads_table", true);
	check_kind(link, "-DENTRY=6", "calls called nothing", false);
	check_kind(link, "'-DTEXT=\"ten\"'", "reads_words", true);
	check_kind(link, "'-DTEXT=\"ten\"'", "reads_table", false);
	check_kind(link, "-DCHOSEN=other", "calls_chosen called", true);
	check_kind(link, "-DCHOSEN=other", "calls called", false);
	check_kind(link, "-DVALUE=8", "calls called reads_table reads_words", false);
	check_kind(link, "-DLAST=5", "reads_long", true);
	check_kind(link, "-DLAST=5", "calls called reads_words", false);
	check_kind(link, "'-DSOURCE=\"/other/a.c\"'", "names_file", true);
	check_kind(link, "-DLOCAL=2", "reads_local", true);
}

static void
test_changes(void)
{
	check_changes(PIE);
}

static void
test_changes_fixed(void)
{
	check_changes(FIXED);
}

static void
test_start(void)
{
	struct reached reached;

	if (open_pair(&reached, PIE, PIE "-DFILL=12")) {
		CU_ASSERT_EQUAL(
			reach_after(&reached, "start fill main", "reads_filled").kind, REACH_START);
		CU_ASSERT_EQUAL(
			reach_after(&reached, "start fill main", "nothing").kind, REACH_NOTHING);
		/* What registers it may have changed, unless it is named after its function. */
		CU_ASSERT_EQUAL(
			reach_named(&reached, "start fill main", "nothing", "nothing/8").kind,
			REACH_NOTHING);
		CU_ASSERT_EQUAL(
			reach_named(&reached, "start fill main", "nothing", "another/8").kind,
			REACH_START);
		CU_ASSERT_EQUAL(reach_named(&reached, "start fill main", "nothing", "thing").kind,
			REACH_START);
		/* Which function called it is not known. */
		CU_ASSERT_EQUAL(reach_after(&reached, "fill_alone", "nothing").kind, REACH_START);
	}
	close_pair(&reached);
	if (open_pair(&reached, PIE "-DALONE", PIE)) {
		/* A constructor that no longer sets one variable, and sets another. */
		CU_ASSERT_EQUAL(
			reach_after(&reached, "start fill main", "reads_filled").kind, REACH_START);
		CU_ASSERT_EQUAL(reach_after(&reached, "start fill main", "reads_table").kind,
			REACH_NOTHING);
	}
	close_pair(&reached);
	if (open_pair(&reached, PIE, PIE "-DALONE")) {
		CU_ASSERT_EQUAL(reach_after(&reached, "start fill_alone main", "reads_filled").kind,
			REACH_START);
	}
	close_pair(&reached);
}

static void
test_varies(void)
{
	struct reached reached;

	if (open_pair(&reached, PIE, PIE "-DNUMBER=4")) {
		CU_ASSERT_EQUAL(reach(&reached, "calls").kind, REACH_NOTHING);
		CU_ASSERT_EQUAL(
			build_changes_reach(reached.changes,
				&(struct build_use){.within = reached.within, .varies = true})
				.kind,
			REACH_CODE);
		mark(&reached, "calls_chosen", reached.within);
		CU_ASSERT_EQUAL(
			build_changes_reach(reached.changes,
				&(struct build_use){.within = reached.within, .varies = true})
				.kind,
			REACH_CODE);
		mark(&reached, "reads_table", reached.within);
		CU_ASSERT_EQUAL(
			build_changes_reach(reached.changes,
				&(struct build_use){.within = reached.within, .varies = true})
				.kind,
			REACH_NOTHING);
	}
	close_pair(&reached);
}

static void
test_counts(void)
{
	struct reached reached;
	size_t nobjects = 0;

	if (open_pair(&reached, PIE, PIE "-DNUMBER=4 -DENTRY=6 -DVALUE=8")) {
		struct buf names = {0};

		CU_ASSERT_EQUAL(build_changes_count(reached.changes, &nobjects), 1);
		CU_ASSERT_EQUAL(nobjects, 2);
		build_changes_put(reached.changes, &names);
		UNIT_CONTAINS(buf_text(&names), "called, ");
		UNIT_CONTAINS(buf_text(&names), "table");
		UNIT_CONTAINS(buf_text(&names), "beside");
		buf_release(&names);
		CU_ASSERT_EQUAL(reach(&reached, "calls called").nexecuted, 2);
		CU_ASSERT_EQUAL(reach(&reached, "calls called").nchanged, 1);
	}
	close_pair(&reached);
}

static void
test_folder(void)
{
	char before[128];
	char after[128];
	struct err err = {0};
	size_t nobjects = 1;

	scratch_init(&scratch);
	if (compile("before", PIE "'-DSOURCE=\"/one/folder/a.c\"'") &&
		compile("after", PIE "'-DSOURCE=\"/another/a.c\"'")) {
		snprintf(before, sizeof(before), "%s", scratch_path(&scratch, "before"));
		snprintf(after, sizeof(after), "%s", scratch_path(&scratch, "after"));
		struct build_changes *changes =
			build_changes_open(&(struct build_program){before, "/one/folder"},
				&(struct build_program){after, "/another"}, NULL, &err);

		UNIT_NEED(changes);
		CU_ASSERT_EQUAL(build_changes_count(changes, &nobjects), 0);
		CU_ASSERT_EQUAL(nobjects, 0);
		build_changes_close(changes);
	} else {
		unit_skip("no compiler");
	}
	scratch_release(&scratch);
}

static void
test_stripped(void)
{
	char path[128];
	struct err err = {0};

	scratch_init(&scratch);
	if (!compile("stripped", PIE "-s")) {
		unit_skip("no compiler");
		scratch_release(&scratch);
		return;
	}
	snprintf(path, sizeof(path), "%s", scratch_path(&scratch, "stripped"));
	CU_ASSERT_PTR_NULL(build_changes_open(&(struct build_program){path, NULL},
		&(struct build_program){path, NULL}, NULL, &err));
	UNIT_CONTAINS(err.text, "symbols");
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"a_change_is_reached_by_what_leads_to_it_and_by_nothing_else", test_changes},
	{"so_it_is_in_a_program_that_is_linked_for_one_address", test_changes_fixed},
	{"a_constructor_reaches_what_reads_its_variables", test_start},
	{"where_runs_vary_all_counts_that_may_be_called", test_varies},
	{"changes_are_counted_by_name", test_counts},
	{"the_folder_of_a_build_is_no_change", test_folder},
	{"of_a_stripped_program_nothing_is_known", test_stripped},
	{NULL, NULL},
};

void
suite_code_build_changes(void)
{
	unit_suite("code/build_changes", cases);
}
