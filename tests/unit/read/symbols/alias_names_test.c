#include "symbols/alias_names.h"

#include "base/file.h"
#include "base/file_links.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_symbols_alias_names(void);

/* Folds "grow.part" to "grow". */
static bool
fold(const char *name, size_t len, struct buf *out)
{
	const char *dot = memchr(name, '.', len);

	buf_put(out, name, dot ? (size_t)(dot - name) : len);
	return dot != NULL;
}

static bool
compile(const char *dir)
{
	static const char source[] =
		"int grow(void) { return 1; } extern __typeof__(grow) more "
		"__attribute__((alias(\"grow\"))); extern __typeof__(grow) split "
		"__asm__(\"grow.part\") __attribute__((alias(\"grow\")));"
		"int alone(void) { return 2; } typedef int choice(void);"
		"choice *choose(void) { return alone; }"
		"int chosen(void) __attribute__((ifunc(\"choose\")));";
	struct err err = {0};
	char *path = file_join(dir, "names.c");
	char command[512];

	CU_ASSERT_EQUAL(file_write(path, source, sizeof(source) - 1, &err), 0);
	free(path);
	snprintf(command, sizeof(command),
		"cd '%s' && cc -shared -fPIC -o names.so names.c >/dev/null 2>&1", dir);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	const int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static size_t
others_of(const struct alias_names *names, const char *name, const char **others)
{
	return alias_names_of(names, name, strlen(name), others, 0, 4);
}

static void
names_of_one_address_are_of_one_function(void)
{
	struct err err = {0};
	const char *others[4];
	char *dir;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	if (compile(dir)) {
		char *path = file_join(dir, "names.so");
		struct alias_names *names = alias_names_read(path, fold);

		CU_ASSERT_EQUAL(others_of(names, "grow", others), 1);
		CU_ASSERT_STRING_EQUAL(others[0], "more");
		CU_ASSERT_EQUAL(others_of(names, "more", others), 1);
		CU_ASSERT_STRING_EQUAL(others[0], "grow");
		CU_ASSERT_EQUAL(alias_names_of(names, "more", 4, others, 1, 1), 1);
		CU_ASSERT_EQUAL(others_of(names, "alone", others), 0);
		/* Its symbol is at the address of the one that chooses. */
		CU_ASSERT_EQUAL(others_of(names, "chosen", others), 0);
		CU_ASSERT_EQUAL(others_of(names, "choose", others), 0);
		CU_ASSERT_EQUAL(others_of(names, "none", others), 0);
		alias_names_free(names);
		free(path);
	} else {
		unit_skip("the compiler is missing, or makes no indirect functions");
	}
	file_dir_abandon(dir);
}

static void
a_file_that_is_no_program_has_none(void)
{
	struct alias_names *names = alias_names_read("/dev/null", fold);
	const char *others[4];

	CU_ASSERT_EQUAL(others_of(names, "free", others), 0);
	alias_names_free(names);
}

void
suite_symbols_alias_names(void)
{
	static const struct unit_case cases[] = {
		{"names_of_one_address_are_of_one_function",
			names_of_one_address_are_of_one_function},
		{"a_file_that_is_no_program_has_none", a_file_that_is_no_program_has_none},
		{NULL, NULL},
	};

	unit_suite("symbols/alias_names", cases);
}
