#include "ingest/wait_reason.h"

#include "unit.h"

static void
expect(const char *function, enum wait_reason reason)
{
	if (wait_reason_of(function) != reason)
		CU_FAIL(function);
}

static void
test_names(void)
{
	expect("schedule", WAIT_SCHEDULER);
	expect("schedule_hrtimeout_range_clock", WAIT_SCHEDULER);
	expect("futex_wait_queue", WAIT_LOCK);
	expect("rwsem_down_write_slowpath", WAIT_LOCK);
	expect("io_schedule_timeout", WAIT_IO);
	expect("jbd2_log_wait_commit", WAIT_IO);
	expect("do_nanosleep", WAIT_SLEEP);
	expect("ep_poll", WAIT_POLL);
	expect("do_poll.constprop.0", WAIT_POLL);
	expect("anon_pipe_read", WAIT_PIPE);
	expect("unix_stream_read_generic", WAIT_SOCKET);
	expect("inet_csk_accept", WAIT_SOCKET);
	expect("do_wait", WAIT_CHILD);
	expect("wait_for_vfork_done", WAIT_CHILD);
	expect("exc_page_fault", WAIT_PAGE_FAULT);
}

static void
test_system_calls(void)
{
	expect("__x64_sys_poll", WAIT_POLL);
	expect("__arm64_sys_clock_nanosleep", WAIT_SLEEP);
	expect("__do_sys_wait4", WAIT_CHILD);
	expect("__se_sys_futex", WAIT_LOCK);
	expect("__x64_sys_fsync", WAIT_IO);
}

static void
test_others(void)
{
	/* Names that only begin like one that tells. */
	expect("do_wait_intr_irq", WAIT_UNKNOWN);
	expect("do_polling", WAIT_POLL);
	expect("ep_pol", WAIT_UNKNOWN);
	expect("vfs_read", WAIT_UNKNOWN);
	expect("", WAIT_UNKNOWN);
	expect("__x64_", WAIT_UNKNOWN);
	UNIT_STR_EQ(wait_reason_name(WAIT_PAGE_FAULT), "page fault");
	for (int reason = WAIT_LOCK; reason < WAIT_REASONS; reason++)
		CU_ASSERT(*wait_reason_name((enum wait_reason)reason) != '\0');
}

static void
test_wakes(void)
{
	CU_ASSERT_EQUAL(wake_reason_of("futex_wake"), WAKE_RELEASES_LOCK);
	CU_ASSERT_EQUAL(wake_reason_of("__mutex_unlock_slowpath.isra.0"), WAKE_RELEASES_LOCK);
	CU_ASSERT_EQUAL(wake_reason_of("futex_wait"), WAKE_UNKNOWN);
	CU_ASSERT_EQUAL(wake_reason_of("try_to_wake_up"), WAKE_UNKNOWN);
	CU_ASSERT_EQUAL(wake_reason_of("asm_sysvec_apic_timer_interrupt"), WAKE_INTERRUPTS);
	CU_ASSERT(wait_reason_is_futex("__x64_sys_futex"));
	CU_ASSERT(wait_reason_is_futex("do_futex"));
	CU_ASSERT_FALSE(wait_reason_is_futex("__x64_sys_futex_waitv"));
}

static const struct unit_case cases[] = {
	{"functions_of_the_kernel_tell_the_reason", test_names},
	{"system_calls_do_on_every_machine", test_system_calls},
	{"others_tell_nothing", test_others},
	{"the_nearest_function_names_the_end_of_a_wait", test_wakes},
	{NULL, NULL},
};

void suite_ingest_wait_reason(void);

void
suite_ingest_wait_reason(void)
{
	unit_suite("ingest/wait_reason", cases);
}
