#include "base/buf.h"
#include "ingest/ingest.h"
#include "profile/weights.h"

#include "folded_check.h"
#include "unit.h"

#include <string.h>

void suite_ingest_ingest_offcputime(void);

#define BACK ";schedule;finish_task_switch.isra.0 "
#define READ "entry_SYSCALL_64_after_hwframe;do_syscall_64;ksys_read;vfs_read;anon_pipe_read"
#define READ_KERNEL \
	"entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k];vfs_read_[k];anon_pipe_read_[k]"

static void
expect(const char *text, const char *folded)
{
	const struct file_view view = {.data = text, .len = strlen(text)};
	const struct ingest_options options = {.event = NULL};
	struct profile profile;
	struct err err = {.kind = ERR_NONE};

	profile_init(&profile);
	CU_ASSERT(ingest_offcputime.detect(view.data, view.len));
	CU_ASSERT_EQUAL_FATAL(
		ingest_offcputime.read(&profile, &view, "x.folded", &options, &err), 0);
	folded_check(&profile, folded);
	UNIT_STR_EQ(weights_unit(&profile), "ns");
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "offcpu");
	profile_release(&profile);
}

static void
test_times(void)
{
	/* For one name in the program and in the kernel, the kernel's begins at its entry. */
	expect("app;main;pipe_wait;" READ BACK "12\n",
		"app;main;pipe_wait;" READ_KERNEL ";pipe_[w] 12000\n");
	expect("app;main;-;ksys_read;anon_pipe_read" BACK "1\n",
		"app;main;ksys_read_[k];anon_pipe_read_[k];pipe_[w] 1000\n");
	expect("kworker/0:1;ret_from_fork_asm;ret_from_fork;worker_thread" BACK "3\n",
		"kworker/0:1;ret_from_fork_asm_[k];ret_from_fork_[k];worker_thread_[k];other_[w] 3000\n");
	/* An interrupt took the CPU, and a page was read because of a fault. */
	expect("app;f;asm_sysvec_apic_timer_interrupt;irqentry_exit_to_user_mode" BACK "2\n",
		"app;f;asm_sysvec_apic_timer_interrupt_[k];irqentry_exit_to_user_mode_[k];run queue_[w] "
		"2000\n");
	expect("app;f;asm_exc_page_fault;exc_page_fault;filemap_fault;folio_wait_bit" BACK "2\n",
		"app;f;asm_exc_page_fault_[k];exc_page_fault_[k];filemap_fault_[k];folio_wait_bit_[k];"
		"page fault_[w] 2000\n");
	/* Nothing says where the kernel begins. */
	expect("app;main;pipe_read" BACK "5\n", "app;main;pipe_read;blocked_[w] 5000\n");
	expect("app;finish_task_switch 5", "app;blocked_[w] 5000\n");
}

static void
test_surroundings(void)
{
	expect("\xef\xbb\xbf"
	       "app;f" BACK "2\r\n# a comment\r\n"
	       "WARNING: 1 stack traces lost and could not be displayed.\r\n"
	       "app;f;[Missed Kernel Stack] 3\r\n",
		"app;f;[Missed Kernel Stack];blocked_[w] 3000\napp;f;blocked_[w] 2000\n");
}

static void
test_others(void)
{
	static const char *const others[] = {"", "\n", "a;b 1\n", "a;schedule 1\n",
		"a;finish_task_switch_up 1\n", "finish_task_switch 1\n", "# runs: 1\na" BACK "1\n",
		"a" BACK "1\na;b 1\n"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (ingest_offcputime.detect(others[i], strlen(others[i])))
			CU_FAIL(others[i]);
	/* What follows the first 64 KiB is not seen, nor the end of a line there. */
	struct buf text = {0};

	while (text.len < INGEST_DETECT_BYTES)
		buf_puts(&text, "abc" BACK "1\n");
	CU_ASSERT_NOT_EQUAL(INGEST_DETECT_BYTES % strlen("abc" BACK "1\n"), 0);
	CU_ASSERT(ingest_offcputime.detect(text.data, INGEST_DETECT_BYTES));
	CU_ASSERT_FALSE(ingest_offcputime.detect("a" BACK "1\na;b", strlen("a" BACK "1\na;b")));
	buf_release(&text);
}

void
suite_ingest_ingest_offcputime(void)
{
	static const struct unit_case cases[] = {
		{"times_are_those_of_waits_with_their_reasons", test_times},
		{"marks_comments_messages_and_missed_stacks_are_read", test_surroundings},
		{"other_text_is_not_taken_for_times", test_others},
		{NULL, NULL},
	};

	unit_suite("ingest/ingest_offcputime", cases);
}
