/* Pairs of small programs, made by the compilers of this machine. */
#include "code/code_list.h"
#include "code/inventory.h"

#include "base/file.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_code_compare(void);

#define NATIVE "gcc"
#define OTHER "aarch64-linux-gnu-gcc"

/* One build: functions first (they move the others), then the rest. */
struct build {
	const char *flags;
	const char *ahead;
	const char *defines;
};

static const char source[] =
	"#ifndef NUMBER\n#define NUMBER 7\n#endif\n"
	"#ifndef TEXT\n#define TEXT \"one\"\n#endif\n"
	"#ifndef FACTOR\n#define FACTOR 1.25\n#endif\n"
	"#ifndef CALLED\n#define CALLED callee\n#endif\n"
	"#ifndef ENTRY\n#define ENTRY 5\n#endif\n"
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"extern int puts(const char *);\n"
	"extern void *malloc(unsigned long);\n"
	"int counter;\nstatic int hidden[4];\n"
	"static const int table[] = {1, 3, ENTRY, 11, 13, 17, 19, 23};\n"
	"KEEP int number(int x) { return x * NUMBER + counter; }\n"
	"KEEP int text(void) { return puts(TEXT) + puts(\"\") + puts(\"other\"); }\n"
	"KEEP double factor(double x) { return x * FACTOR + 3.5; }\n"
	"KEEP int CALLED(int x) { return x ^ 99; }\n"
	"KEEP int caller(int x) { return CALLED(x + 1) + number(x) + hidden[x & 3]++; }\n"
	"KEEP int lookup(int x) { return table[x & 7]; }\n"
	"KEEP int walk(void) { int s = 0;\n"
	"  for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++) s += table[i] ^ s;\n"
	"  return s; }\n"
	"KEEP int choose(int x) { switch (x) {\n"
	"  case 0: return number(9); case 1: return counter * 3; case 2: counter = 4; break;\n"
	"  case 3: return text(); case 4: return lookup(x + 2); case 5: return x << counter;\n"
	"  case 6: puts(\"six\"); break; case 7: return hidden[2]; case 8: return caller(5); }\n"
	"  return 2 * x; }\n"
	"KEEP int spin(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) {\n"
	"  for (int j = i; j < n; j++) s += p[j] * s; if (s & 64) s ^= p[i]; } return s; }\n"
	"KEEP void *pointer(int x) { return x ? (void *)number : malloc(8); }\n"
	"int main(int c, char **v) { (void)v; return choose(c) + caller(c) + (int)factor(c) +\n"
	"  walk() + spin(&c, c) + text() + (pointer(c) == (void *)0); }\n";

static const char *const all[] = {"number", "text", "factor", "callee", "caller", "lookup", "walk",
	"choose", "spin", "pointer", "main", NULL};

#define MOVED                                                                                    \
	"extern int printf(const char *, ...); extern int rand(void);\n"                         \
	"int filler = 3; static const double more[] = {7.5, 8.5, 9.5};\n"                        \
	"__attribute__((noinline, used)) double extra(int x) { switch (x) { case 0: return 1.1;" \
	" case 1: return more[x + 1]; case 2: return rand(); case 3: return 77.25; case 4:"      \
	" return printf(\"more %d\\n\", x); case 5: return filler; } return more[x]; }\n"

static bool
write_source(const char *dir, const char *name, const struct build *build)
{
	struct err err = {0};
	char path[128];
	struct buf text = {0};
	bool written;

	buf_puts(&text, build->defines);
	buf_puts(&text, build->ahead);
	buf_puts(&text, source);
	snprintf(path, sizeof(path), "%s/%s.c", dir, name);
	written = file_write(path, text.data, text.len, &err) == 0;
	buf_release(&text);
	return written;
}

/* Compiles DIR/NAME.c to DIR/NAME; false, and the case is skipped, where that cannot be had. */
static bool
compile(const char *compiler, const char *dir, const char *name, const struct build *build)
{
	char command[1024];

	CU_ASSERT_TRUE_FATAL(write_source(dir, name, build));
	snprintf(command, sizeof(command),
		"cd %s && %s -O2 -w -fno-builtin -fno-inline -fno-section-anchors -fno-ipa-ra %s -o %s %s.c "
		">log 2>&1",
		dir, compiler, build->flags, name, name);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct pair {
	char *dir;
	struct code_inventory before;
	struct code_inventory after;
	bool open;
};

static void
end(struct pair *pair)
{
	if (pair->open) {
		code_inventory_close(&pair->before);
		code_inventory_close(&pair->after);
	}
	if (pair->dir)
		file_dir_abandon(pair->dir);
}

static bool
begin(struct pair *pair, const char *compiler, const struct build *before,
	const struct build *after)
{
	struct err err = {0};
	char path[2][128];

	*pair = (struct pair){0};
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&pair->dir, &err), 0);
	if (!compile(compiler, pair->dir, "before", before) ||
		!compile(compiler, pair->dir, "after", after)) {
		unit_skip("the compiler is missing or refuses");
		return false;
	}
	snprintf(path[0], sizeof(path[0]), "%s/before", pair->dir);
	snprintf(path[1], sizeof(path[1]), "%s/after", pair->dir);
	CU_ASSERT_EQUAL_FATAL(code_inventory_open(&pair->before, path[0], NULL, &err), 0);
	CU_ASSERT_EQUAL_FATAL(code_inventory_open(&pair->after, path[1], NULL, &err), 0);
	pair->open = true;
	return true;
}

static bool
is_among(const char *name, const char *names)
{
	size_t len = strlen(name);

	for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
		if ((at == names || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
	return false;
}

/* The functions before as a baseline stores them. */
static void
store(struct pair *pair, struct code_lists *lists)
{
	struct err err = {0};
	struct buf text = {0};
	char *path = file_join(pair->dir, "before");

	code_lists_put(&text, "hash", "");
	CU_ASSERT_EQUAL_FATAL(code_list_put(&text, path, "x", "digest", NULL, NULL, &err), 0);
	free(path);
	CU_ASSERT_EQUAL_FATAL(
		code_lists_read(lists, "code.txt", buf_text(&text), text.len, &err), 0);
	buf_release(&text);
}

/* Every function has the state of `others`, but those of `changed`, which differ. */
static void
check(const char *compiler, const struct build *before, const struct build *after,
	const char *changed)
{
	struct code_lists lists;
	struct pair pair;

	if (!begin(&pair, compiler, before, after)) {
		end(&pair);
		return;
	}
	store(&pair, &lists);
	for (size_t i = 0; all[i]; i++) {
		enum code_change change = code_compare(&pair.before, &pair.after, all[i]);
		enum code_change expected =
			is_among(all[i], changed) ? CODE_CHANGE_DIFFERS : CODE_CHANGE_NONE;

		if (change != expected)
			fprintf(stderr, "%s %s: %s is %d\n", compiler, after->flags, all[i],
				change);
		CU_ASSERT_EQUAL(change, expected);
		/* What is stored of the build before tells the same. */
		CU_ASSERT_EQUAL(code_change_of(code_list_known(&lists.lists[0], all[i]),
					code_inventory_known(&pair.after, all[i])),
			expected);
	}
	code_lists_release(&lists);
	end(&pair);
}

static const char *const shapes[] = {"-fPIE -pie", "-fno-pic -no-pie", "-fPIC -shared",
	"-fPIE -pie -fcf-protection=none", "-static", NULL};

static void
test_moved(void)
{
	for (size_t i = 0; shapes[i]; i++) {
		struct build before = {shapes[i], "", ""};
		struct build after = {shapes[i], MOVED, ""};

		check(NATIVE, &before, &after, "");
	}
}

static void
test_edits(void)
{
	static const struct {
		const char *defines;
		const char *changed;
	} edits[] = {{"#define NUMBER 9\n", "number"}, {"#define TEXT \"two\"\n", "text"},
		{"#define FACTOR 1.375\n", "factor"}, {"#define ENTRY 6\n", "lookup walk"},
		{"#define hidden visible\n", "caller choose"}};

	for (size_t i = 0; shapes[i]; i++)
		for (size_t k = 0; k < sizeof(edits) / sizeof(edits[0]); k++) {
			struct build before = {shapes[i], "", ""};
			struct build after = {shapes[i], MOVED, edits[k].defines};

			check(NATIVE, &before, &after, edits[k].changed);
		}
}

static void
test_renamed(void)
{
	struct build before = {"-fPIE -pie", "", ""};
	struct build after = {"-fPIE -pie", "", "#define CALLED other_name\n"};
	struct pair pair;

	if (begin(&pair, NATIVE, &before, &after)) {
		CU_ASSERT_EQUAL(
			code_compare(&pair.before, &pair.after, "callee"), CODE_CHANGE_REMOVED);
		CU_ASSERT_EQUAL(
			code_compare(&pair.before, &pair.after, "other_name"), CODE_CHANGE_ADDED);
		CU_ASSERT_EQUAL(
			code_compare(&pair.before, &pair.after, "caller"), CODE_CHANGE_DIFFERS);
		CU_ASSERT_EQUAL(
			code_compare(&pair.before, &pair.after, "number"), CODE_CHANGE_NONE);
		CU_ASSERT_EQUAL(
			code_compare(&pair.before, &pair.after, "nothing"), CODE_CHANGE_UNKNOWN);
	}
	end(&pair);
}

static void
test_padding(void)
{
	struct build before = {"-fPIE -pie", "", ""};
	struct build after = {"-fPIE -pie -falign-loops=64 -falign-jumps=32", "", ""};
	struct build none = {"-fPIE -pie -falign-loops=1 -falign-jumps=1 -falign-labels=1", "", ""};

	check(NATIVE, &before, &after, "");
	check(NATIVE, &none, &after, "");
}

static void
test_nops_that_count(void)
{
	struct build before = {"-fPIE -pie", "", ""};
	struct build after = {"-fPIE -pie", "",
		"#define TEXT ({ __asm__ volatile(\".skip 63, 0x90\"); \"one\"; })\n"};

	check(NATIVE, &before, &after, "text");
}

static void
test_static_twins(void)
{
	static const char ahead[] =
		"static int twin(int);\n"
		"__attribute__((used)) int user(int x) { return twin(x); }\n"
		"__attribute__((noinline)) static int twin(int x) { return x * %d; }\n";
	struct build before = {"-fPIE -pie", "", ""};
	struct build after = before;
	char text[2][512];
	struct pair pair;

	for (int changed = 0; changed < 2; changed++) {
		snprintf(text[0], sizeof(text[0]), ahead, 3);
		snprintf(text[1], sizeof(text[1]), ahead, 3 + 2 * changed);
		before.ahead = text[0];
		after.ahead = text[1];
		if (begin(&pair, NATIVE, &before, &after)) {
			CU_ASSERT_EQUAL(code_compare(&pair.before, &pair.after, "twin"),
				changed ? CODE_CHANGE_DIFFERS : CODE_CHANGE_NONE);
			CU_ASSERT_EQUAL(
				code_compare(&pair.before, &pair.after, "user"), CODE_CHANGE_NONE);
		}
		end(&pair);
	}
}

static void
test_stripped(void)
{
	struct build whole = {"-fPIE -pie", "", ""};
	struct build stripped = {"-fPIE -pie -s", "", ""};
	struct pair pair;

	if (begin(&pair, NATIVE, &whole, &stripped))
		for (size_t i = 0; all[i]; i++)
			CU_ASSERT_EQUAL(code_compare(&pair.before, &pair.after, all[i]),
				CODE_CHANGE_UNKNOWN);
	end(&pair);
}

static void
test_aarch64(void)
{
	struct build before = {"-fPIE -pie", "", ""};
	struct build moved = {"-fPIE -pie", MOVED, ""};
	struct build number = {"-fPIE -pie", MOVED, "#define NUMBER 9\n"};
	struct build text = {"-fPIE -pie", MOVED, "#define TEXT \"two\"\n"};
	struct build entry = {"-fPIE -pie", MOVED, "#define ENTRY 6\n"};
	struct build hidden = {"-fPIE -pie", MOVED, "#define hidden visible\n"};
	struct build fixed = {"-fno-pic -no-pie", "", ""};
	struct build fixed_moved = {"-fno-pic -no-pie", MOVED, ""};

	check(OTHER, &before, &moved, "");
	check(OTHER, &before, &number, "number");
	check(OTHER, &before, &text, "text");
	check(OTHER, &before, &entry, "lookup walk");
	check(OTHER, &before, &hidden, "caller choose");
	check(OTHER, &fixed, &fixed_moved, "");
}

static const struct unit_case cases[] = {
	{"what_moved_is_the_same", test_moved},
	{"what_was_edited_differs_and_nothing_else", test_edits},
	{"a_renamed_function_goes_and_its_caller_differs", test_renamed},
	{"padding_of_loops_makes_no_difference", test_padding},
	{"instructions_without_effect_count_where_they_do_not_pad", test_nops_that_count},
	{"static_functions_of_one_name_are_compared_as_a_whole", test_static_twins},
	{"of_a_stripped_file_nothing_is_known", test_stripped},
	{"aarch64_is_compared_alike", test_aarch64},
	{NULL, NULL},
};

void
suite_code_compare(void)
{
	unit_suite("code/compare", cases);
}
