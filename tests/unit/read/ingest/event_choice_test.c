/* Views of files of context switches: what waited for locks, and what ended that. */
#include "ingest/perfdata_internal.h"

#include "base/mem.h"
#include "perfdata/make_named.h"
#include "unit.h"

#include <sys/mman.h>

void suite_ingest_event_choice(void);

#define OUT PERF_RECORD_MISC_SWITCH_OUT
/* Functions of the kernel that samples lie in. */
#define SCHEDULE UINT64_C(0xffffffff81000010)
#define FUTEX_WAIT UINT64_C(0xffffffff81000110)
#define DO_FUTEX UINT64_C(0xffffffff81000210)
#define NANOSLEEP UINT64_C(0xffffffff81000310)
#define TRY_TO_WAKE UINT64_C(0xffffffff81000410)
#define FUTEX_WAKE UINT64_C(0xffffffff81000510)
#define FLOCK UINT64_C(0xffffffff81000610)
#define INTERRUPT UINT64_C(0xffffffff81000710)
#define CODE 0x5000
#define STATIC 0x6000
#define ZEROED 0x7000
#define HEAP 0x10000
#define SHARED 0x20000
#define STACK 0x30000
#define VDSO 0x40000

static const uint64_t at_futex[] = {
	PERF_CONTEXT_KERNEL, SCHEDULE, FUTEX_WAIT, DO_FUTEX, PERF_CONTEXT_USER, CODE};
static const uint64_t at_file[] = {
	PERF_CONTEXT_KERNEL, SCHEDULE, FLOCK, PERF_CONTEXT_USER, CODE + 0x10};
static const uint64_t asleep[] = {
	PERF_CONTEXT_KERNEL, SCHEDULE, NANOSLEEP, PERF_CONTEXT_USER, CODE};
static const uint64_t releases[] = {
	PERF_CONTEXT_KERNEL, TRY_TO_WAKE, FUTEX_WAKE, PERF_CONTEXT_USER, CODE + 0x20};
static const uint64_t interrupted[] = {
	PERF_CONTEXT_KERNEL, TRY_TO_WAKE, INTERRUPT, FUTEX_WAKE, PERF_CONTEXT_USER, CODE + 0x30};

static void
put_kernel(struct named *named, uint64_t address, const char *name)
{
	struct buf body = {0};

	made_ksymbol(&body, address, name);
	made_trailer(&body, 7, 1);
	put_whole(named, PERF_RECORD_KSYMBOL, 0, &body);
	buf_release(&body);
}

static void
put_map(struct named *named, uint64_t start, uint32_t prot, uint32_t flags, const char *path)
{
	struct buf body = {0};

	made_u32s(&body, 7, 7);
	made_u64(&body, start);
	made_u64(&body, 0x1000);
	made_u64(&body, 0); /* offset */
	made_u64(&body, 0);
	made_u64(&body, 0);
	made_u64(&body, 0);
	made_u32s(&body, prot, flags);
	made_text(&body, path);
	made_trailer(&body, 7, 3);
	put_whole(named, PERF_RECORD_MMAP2,
		PERF_RECORD_MISC_USER |
			(uint16_t)(prot & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA),
		&body);
	buf_release(&body);
}

static void
begin(struct named *named, const char *name)
{
	struct buf body = {0};

	open_named(named, name, attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true),
		"sched:sched_waking");
	put_kernel(named, SCHEDULE, "schedule");
	put_kernel(named, FUTEX_WAIT, "futex_wait");
	put_kernel(named, DO_FUTEX, "do_futex");
	put_kernel(named, NANOSLEEP, "do_nanosleep");
	put_kernel(named, TRY_TO_WAKE, "try_to_wake_up");
	put_kernel(named, FUTEX_WAKE, "futex_wake");
	put_kernel(named, FLOCK, "flock_lock_inode");
	put_kernel(named, INTERRUPT, "hrtimer_interrupt");
	made_u32s(&body, 7, 7);
	made_text(&body, "p");
	made_trailer(&body, 7, 2);
	put_whole(named, PERF_RECORD_COMM, 0, &body);
	buf_release(&body);
	put_map(named, CODE, PROT_READ | PROT_EXEC, MAP_PRIVATE, "/nowhere/a.so");
	put_map(named, STATIC, PROT_READ | PROT_WRITE, MAP_PRIVATE, "/nowhere/a.so");
	put_map(named, ZEROED, PROT_READ | PROT_WRITE, MAP_PRIVATE, "//anon");
	put_map(named, HEAP, PROT_READ | PROT_WRITE, MAP_PRIVATE, "[heap]");
	put_map(named, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, "/nowhere/shared");
	put_map(named, VDSO, PROT_READ | PROT_EXEC, MAP_PRIVATE, "[vdso]");
}

/* Thread 7 waits there from `from` on for 100 ns, and then 5 for its CPU. */
static void
put_wait(struct named *named, const uint64_t *chain, size_t nchain, uint64_t lock, uint64_t from)
{
	named->chain = chain;
	named->nchain = nchain;
	named->regs[0] = lock;
	named->regs[1] = STACK;
	named->regs[2] = CODE;
	put_sample(named, named_ids[0], 7, from - 1, 1, NULL);
	put_named_switch(named, OUT, 7, from);
	named->chain = releases;
	named->nchain = 5;
	put_wake(named, 8, 7, from + 100);
	put_named_switch(named, 0, 7, from + 105);
}

/* Waits of several kinds. */
static void
put_waits(struct named *named)
{
	put_wait(named, at_futex, 6, HEAP + 8, 1000);
	put_wait(named, at_futex, 6, HEAP + 16, 2000);
	put_wait(named, asleep, 5, HEAP, 3000);
	put_wait(named, at_file, 5, HEAP, 4000);
}

static void
test_waits(void)
{
	struct named named;

	begin(&named, "locks:wait");
	put_waits(&named);
	expect_named(&named, NULL, "ns",
		"p;[a.so];do_futex_[k];futex_wait_[k];heap lock_[w] 200\n"
		"p;[a.so];flock_lock_inode_[k];lock_[w] 100\n");
	/* For a file of all waits. */
	begin(&named, "context-switches");
	put_waits(&named);
	expect_named(&named, "locks:wait", "ns",
		"p;[a.so];do_futex_[k];futex_wait_[k];heap lock_[w] 200\n"
		"p;[a.so];flock_lock_inode_[k];lock_[w] 100\n");
	begin(&named, "locks:wait");
	put_waits(&named);
	expect_named(&named, "locks:number", "waits",
		"p;[a.so];do_futex_[k];futex_wait_[k];heap lock_[w] 2\n"
		"p;[a.so];flock_lock_inode_[k];lock_[w] 1\n");
}

static void
test_all(void)
{
	struct named named;

	begin(&named, "locks:wait");
	put_waits(&named);
	expect_named(&named, "context-switches", "ns",
		"p;[a.so];do_futex_[k];futex_wait_[k];lock_[w] 200\n"
		"p;[a.so];do_futex_[k];futex_wait_[k];run queue_[w] 10\n"
		"p;[a.so];do_nanosleep_[k];run queue_[w] 5\n"
		"p;[a.so];do_nanosleep_[k];sleep_[w] 100\n"
		"p;[a.so];flock_lock_inode_[k];lock_[w] 100\n"
		"p;[a.so];flock_lock_inode_[k];run queue_[w] 5\n");
}

static void
test_memory(void)
{
	static const struct {
		uint64_t lock;
		const char *folded;
	} locks[] = {
		{STATIC + 4, "p;[a.so];do_futex_[k];futex_wait_[k];static lock_[w] 100\n"},
		{ZEROED + 4, "p;[a.so];do_futex_[k];futex_wait_[k];static lock_[w] 100\n"},
		{SHARED, "p;[a.so];do_futex_[k];futex_wait_[k];shared lock_[w] 100\n"},
		{STACK + 64, "p;[a.so];do_futex_[k];futex_wait_[k];stack lock_[w] 100\n"},
		{VDSO + 0x100000, "p;[a.so];do_futex_[k];futex_wait_[k];lock_[w] 100\n"},
	};
	struct named named;

	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		begin(&named, "locks:wait");
		put_wait(&named, at_futex, 6, locks[i].lock, 1000);
		expect_named(&named, NULL, "ns", locks[i].folded);
	}
}

static void
test_wakers(void)
{
	struct named named;

	begin(&named, "locks:wait");
	put_wait(&named, at_futex, 6, HEAP, 1000);
	/* By a timer, while the other thread runs. */
	named.chain = asleep;
	named.nchain = 5;
	put_sample(&named, named_ids[0], 7, 1999, 1, NULL);
	put_named_switch(&named, OUT, 7, 2000);
	named.chain = interrupted;
	named.nchain = 6;
	put_wake(&named, 8, 7, 2100);
	put_named_switch(&named, 0, 7, 2101);
	expect_named(&named, "locks:wakers", "ns",
		":8;[unknown];futex_wake_[k];try_to_wake_up_[k] 100\n");
}

static void
expect_refused(struct named *named, const char *event, const char *text)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {.event = event};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named->writer, &description, &named->err), 0);
	CU_ASSERT_EQUAL(ingest_file(&profile, named->path, &options, &named->err), -1);
	UNIT_CONTAINS(named->err.text, text);
	profile_release(&profile);
	scratch_release(&named->scratch);
}

static void
test_refused(void)
{
	struct named named;

	begin(&named, "locks:wait");
	put_wait(&named, asleep, 5, HEAP, 3000);
	expect_refused(&named, NULL, "no thread waited for a lock");
	begin_named(&named, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		NULL);
	put_named(&named, 7, 1000, 1, NULL);
	expect_refused(&named, "locks:wait", "not when threads came back");
	begin_named(&named, "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL);
	put_named(&named, 7, 1000, 1, NULL);
	expect_refused(&named, "locks:wait", "has no event 'locks:wait'");
}

/* As in a gate; the file has no sample of the event that its view is of. */
static void
test_empty(void)
{
	const struct perfdata_description description = {.last_sample_ns = 0};
	const struct ingest_options options = {.may_be_empty = true};
	struct named named;
	struct profile profile;

	begin(&named, "locks:wait");
	named.chain = releases;
	named.nchain = 5;
	put_wake(&named, 8, 7, 100);
	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(perfdata_writer_finish(&named.writer, &description, &named.err), 0);
	CU_ASSERT_EQUAL(ingest_file(&profile, named.path, &options, &named.err), 0);
	UNIT_STR_EQ(named.err.text, "");
	CU_ASSERT_EQUAL(profile.nruns, 1);
	CU_ASSERT_EQUAL(profile.runs[0].samples, 0);
	UNIT_NEAR(profile.runs[0].cost_total, 0, 0);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "locks");
	profile_release(&profile);
	scratch_release(&named.scratch);
}

enum { MEMBER = 7, ON_OTHER_CPU = 8, LEADER = 9 };

/* What a sample weighs with these values: each total, its id and how many were lost. */
static uint64_t
take(struct group_reads *reads, uint64_t leader, uint64_t id, uint64_t value)
{
	const uint64_t values[] = {leader, LEADER, 0, value, id, 0};
	const struct record_sample sample = {.values = values, .nvalues = 2, .value_words = 3};

	return group_reads_take(reads, &sample);
}

static void
a_sample_weighs_what_was_counted_since_the_one_before(void)
{
	struct group_reads reads = {0};

	key_map_add(&reads.ids, MEMBER);
	key_map_add(&reads.ids, ON_OTHER_CPU);
	reads.last = mem_zalloc(2, sizeof(*reads.last));
	CU_ASSERT_EQUAL(take(&reads, 1000, MEMBER, 5), 5);
	CU_ASSERT_EQUAL(take(&reads, 1000, ON_OTHER_CPU, 100), 100);
	CU_ASSERT_EQUAL(take(&reads, 2000, MEMBER, 5), 0);
	CU_ASSERT_EQUAL(take(&reads, 3000, MEMBER, 12), 7);
	CU_ASSERT_EQUAL(take(&reads, 3000, ON_OTHER_CPU, 101), 1);
	/* A value that shrinks is of a damaged file. */
	CU_ASSERT_EQUAL(take(&reads, 4000, MEMBER, 2), 0);
	group_reads_release(&reads);
}

static void
values_of_threads_and_those_without_ids_are_not_used(void)
{
	struct perfdata_event event = {
		.attr = {.sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP}};

	CU_ASSERT_TRUE(event_is_group_read(&event));
	CU_ASSERT_FALSE(event_group_is_usable(&event));
	event.attr.read_format |= PERF_FORMAT_ID;
	CU_ASSERT_TRUE(event_group_is_usable(&event));
	event.attr.inherit = 1;
	CU_ASSERT_FALSE(event_group_is_usable(&event));
	event.attr.sample_type = PERF_SAMPLE_IP;
	CU_ASSERT_FALSE(event_is_group_read(&event));
}

static const struct unit_case cases[] = {
	{"waits_for_locks_are_taken_from_all", test_waits},
	{"all_waits_of_a_file_of_locks_can_be_read", test_all},
	{"the_memory_of_a_futex_is_told", test_memory},
	{"the_thread_that_ends_a_lock_wait_is_named", test_wakers},
	{"a_view_needs_its_records", test_refused},
	{"a_view_of_nothing_is_a_run_of_nothing", test_empty},
	{"a_sample_weighs_what_was_counted_since_the_one_before",
		a_sample_weighs_what_was_counted_since_the_one_before},
	{"values_of_threads_and_those_without_ids_are_not_used",
		values_of_threads_and_those_without_ids_are_not_used},
	{NULL, NULL},
};

void
suite_ingest_event_choice(void)
{
	unit_suite("ingest/event_choice", cases);
}
