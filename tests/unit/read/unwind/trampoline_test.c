/* Trampolines that an interpreter copied into memory without rows. */
#include "unit.h"
#include "unwind/made_walk.h"
#include "unwind/unwind_internal.h"

void suite_unwind_trampoline(void);

enum {
	RBX = 3,
	RBP = 6,
	RSP = 7,
	RIP = 16,
};

/* Where trampolines are mapped. */
#define COPIES (CODE + 0x100000)
#define BEHIND_CALL 6 /* in a trampoline */
#define FRAME_BYTES 8

#define BYTES(...)                                                   \
	trampoline_frame_bytes((const unsigned char[]){__VA_ARGS__}, \
		sizeof((const unsigned char[]){__VA_ARGS__}))

static void
test_code_is_read(void)
{
	/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
	CU_ASSERT_EQUAL(
		BYTES(0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3), FRAME_BYTES);
	/* With a mark for indirect branches, another size and another register. */
	CU_ASSERT_EQUAL(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 24, 0xff, 0xd0), 24);
	/* push %rbp; mov %rsp, %rbp; call *%rcx: the frame pointer leads out. */
	CU_ASSERT_EQUAL(BYTES(0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3), 0);
	/* A jump, a frame that would leave the stack unaligned, an end too early. */
	CU_ASSERT_EQUAL(BYTES(0x48, 0x83, 0xec, 8, 0xff, 0xe1), 0);
	CU_ASSERT_EQUAL(BYTES(0x48, 0x83, 0xec, 16, 0xff, 0xd1), 0);
	CU_ASSERT_EQUAL(BYTES(0x48, 0x83, 0xec, 8, 0xff), 0);
	CU_ASSERT_EQUAL(BYTES(0xf3, 0x0f, 0x1e, 0xfa), 0);
}

/* A file with trampolines: its function at 0 evaluates, and that at 0x10 calls trampolines. */
struct scripted {
	struct made made;
	struct unwind_map maps[2];
};

static void
begin_scripted(struct scripted *scripted)
{
	struct made *made = &scripted->made;

	begin(made, "x86_64");
	/* 16 bytes of its own, and rbx saved. */
	FUNCTION(made, 0x00, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | RBX, 2);
	FUNCTION(made, 0x10, DW_CFA_undefined, RIP);
	walk(made, 0x10);
	scripted->maps[0] = made->map;
	scripted->maps[1] = (struct unwind_map){.start = COPIES, .end = COPIES + 0x1000};
	made->space = (struct unwind_space){.maps = scripted->maps,
		.nmaps = 2,
		.trampolines = made->map.table,
		.trampoline_bytes = FRAME_BYTES};
	/* What is no frame pointer, as in code built without them. */
	set(made, RBP, STACK + 1);
}

static void
test_a_caller_is_found(void)
{
	struct scripted scripted;
	struct made *made = &scripted.made;

	begin_scripted(&scripted);
	made->words[3] = COPIES + 0x40 + BEHIND_CALL;
	made->words[4] = CODE + 0x99; /* left over from an earlier call */
	made->words[5] = CODE + 0x15;
	walk(made, 0);
	CHECK_FRAMES(made, UNWIND_ROOT, 0, 0x100000 + 0x40 + BEHIND_CALL, 0x15);
	/* Another file's code has not called it. */
	made->space.trampolines = (const struct unwind_table *)&scripted;
	walk(made, 0);
	CU_ASSERT_EQUAL(made->stack.end, UNWIND_BROKEN);
	CU_ASSERT_EQUAL(made->stack.count, 2);
	end(made);
}

static void
test_a_copy_that_is_too_short_is_truncated(void)
{
	struct scripted scripted;
	struct made *made = &scripted.made;

	begin_scripted(&scripted);
	made->words[3] = COPIES + 0x40 + BEHIND_CALL;
	made->input.stack_bytes = 5 * sizeof(made->words[0]);
	made->input.stack_wanted = made->input.stack_bytes;
	walk(made, 0);
	CU_ASSERT_EQUAL(made->stack.end, UNWIND_TRUNCATED);
	CU_ASSERT_EQUAL(made->stack.count, 2);
	end(made);
}

/* By the stack's alignment, whatever the instruction. */
static void
test_a_leaf_is_left(void)
{
	struct scripted scripted;
	struct made *made = &scripted.made;
	const uint64_t trampoline = COPIES - CODE;

	begin_scripted(&scripted);
	made->words[0] = CODE + 0x15;
	made->words[1] = CODE + 0x15;
	/* Ahead of the call, and behind it. */
	walk(made, trampoline + 4);
	CHECK_FRAMES(made, UNWIND_ROOT, trampoline + 4, 0x15);
	CU_ASSERT_EQUAL(made->stack.reached_bytes, 16);
	/* Where it begins and ends. */
	made->words_of = made->words + 1;
	set(made, RSP, STACK + 8);
	walk(made, trampoline);
	CHECK_FRAMES(made, UNWIND_ROOT, trampoline, 0x15);
	CU_ASSERT_EQUAL(made->stack.reached_bytes, 8);
	end(made);
}

void
suite_unwind_trampoline(void)
{
	static const struct unit_case cases[] = {
		{"code_is_read", test_code_is_read},
		{"a_caller_is_found", test_a_caller_is_found},
		{"a_copy_that_is_too_short_is_truncated",
			test_a_copy_that_is_too_short_is_truncated},
		{"a_leaf_is_left", test_a_leaf_is_left},
		{0},
	};

	unit_suite("unwind/trampoline", cases);
}
