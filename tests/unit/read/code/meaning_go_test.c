/*
 * Constants as Go's linker lays them out: strings and types of all the program under one symbol
 * without a length.
 */
#include "code/inventory.h"

#include "base/file.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_code_meaning_go(void);

/* What the linker adds of other code, and what is edited. */
struct build {
	const char *strings; /* ahead of the others */
	const char *text;
	const char *types; /* ahead of the others */
	const char *field; /* a name of a struct type's */
	const char *table; /* of lines */
};

static const struct build plain = {"", "second", "", "size", "1"};

/* As Go's linker has it: without a length. */
#define OBJECT(name) "    .type " name ", @object\n" name ":\n"
#define WORD(what) "    .quad " what "\n"
#define TYPE(label, kind)                                                                    \
	label ":\n" WORD("16") WORD("8") "    .long 7\n"                                     \
					 "    .byte 1, 8, 8, " kind "\n" WORD("0") WORD("0") \
						 WORD("0")
#define FUNCTION(name, target)                                                           \
	"    .globl " name "\n    .type " name ", @function\n" name ":\n    lea " target \
	"(%rip), %rax\n    ret\n    .size " name ", . - " name "\n"

static void
put_source(struct buf *out, const struct build *build)
{
	buf_printf(out, "    .section .gopclntab, \"a\"\n" OBJECT("runtime.pclntab") WORD("%s"),
		build->table);
	buf_printf(out,
		"    .section .rodata\n" OBJECT(
			"\"go.string.*\"") "    .ascii \"%s\"\n.Lfirst:\n    .ascii "
					   "\"first\"\n.Lsecond:\n    .ascii \"%s\"\n.Lthird:\n    .ascii \"third\"\n",
		build->strings, build->text);
	buf_printf(out,
		"    .balign 8\n" OBJECT("\"go.func.*\"") WORD("%s") ".Lvalue:\n" WORD("first"),
		build->types[0] ? "second" : "first");
	/* A struct of one field, and a pointer to it. */
	buf_printf(out,
		"    .section .data.rel.ro, \"aw\"\n    .balign 8\n    .globl \"type.*\"\n" OBJECT(
			"\"type.*\"") "%s" TYPE(".Lstruct", "25") WORD("0") WORD(".Lfields")
			WORD("1") WORD("1") TYPE(".Lpointer", "22")
				WORD(".Lstruct") ".Lfields:\n" WORD(".Lname") WORD(".Lstruct")
					WORD("0") ".Lname:\n    .byte 0, %zu\n"
						  "    .ascii \"%s\"\n",
		build->types, strlen(build->field), build->field);
	buf_puts(out, "    .text\n" FUNCTION("first", ".Lfirst") FUNCTION("second", ".Lsecond")
			      FUNCTION("third", ".Lthird") FUNCTION("described", ".Lstruct")
				      FUNCTION("pointed", ".Lpointer") FUNCTION("valued", ".Lvalue")
					      FUNCTION("lines", "runtime.pclntab"));
	buf_puts(out, "    .globl main\nmain:\n    ret\n    .section .note.GNU-stack,\"\"\n");
}

static bool
compile(const char *dir, const char *name, const struct build *build, const char *flags)
{
	struct err err = {0};
	struct buf text = {0};
	char path[128];
	char command[512];

	put_source(&text, build);
	snprintf(path, sizeof(path), "%s/%s.s", dir, name);
	CU_ASSERT_EQUAL_FATAL(file_write(path, text.data, text.len, &err), 0);
	buf_release(&text);
	snprintf(command, sizeof(command), "cd %s && gcc %s -o %s %s.s >log 2>&1", dir, flags, name,
		name);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	const int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *const all[] = {
	"first", "second", "third", "described", "pointed", "valued", "lines", NULL};

/* All functions are the same but those whose names are in `changed`. */
static void
check(const struct build *after, const char *changed, const char *flags)
{
	struct code_inventory inventories[2];
	struct err err = {0};
	char path[2][128];
	char *dir;

#ifndef __x86_64__
	unit_skip("the source is of x86-64");
	return;
#endif
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	if (!compile(dir, "before", &plain, flags) || !compile(dir, "after", after, flags)) {
		unit_skip("the compiler is missing or refuses");
		file_dir_abandon(dir);
		return;
	}
	snprintf(path[0], sizeof(path[0]), "%s/before", dir);
	snprintf(path[1], sizeof(path[1]), "%s/after", dir);
	for (size_t i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(code_inventory_open(&inventories[i], path[i], NULL, &err), 0);
	for (size_t i = 0; all[i]; i++) {
		const enum code_change change =
			code_compare(&inventories[0], &inventories[1], all[i]);
		const enum code_change expected =
			strstr(changed, all[i]) ? CODE_CHANGE_DIFFERS : CODE_CHANGE_NONE;

		if (change != expected)
			fprintf(stderr, "%s: %s is %d\n", flags, all[i], change);
		CU_ASSERT_EQUAL(change, expected);
	}
	for (size_t i = 0; i < 2; i++)
		code_inventory_close(&inventories[i]);
	file_dir_abandon(dir);
}

static const char *const shapes[] = {"-no-pie", "-pie", NULL};

static void
test_moved(void)
{
	struct build moved = plain;

	moved.strings = "another, which moves all behind it";
	moved.types = TYPE(".Lother", "2");
	moved.table = "2";
	for (size_t i = 0; shapes[i]; i++)
		check(&moved, "", shapes[i]);
}

static void
test_edited(void)
{
	struct build text = plain;
	struct build field = plain;

	text.text = "edited";
	field.field = "name";
	for (size_t i = 0; shapes[i]; i++) {
		check(&text, "second", shapes[i]);
		check(&field, "described pointed", shapes[i]);
	}
}

static const struct unit_case cases[] = {
	{"strings_and_types_of_other_code_make_no_difference", test_moved},
	{"an_edited_string_or_type_does_for_those_that_use_it", test_edited},
	{NULL, NULL},
};

void
suite_code_meaning_go(void)
{
	unit_suite("code/meaning_go", cases);
}
