#include "ingest/syscalls.h"

#include "unit.h"

#include <sys/syscall.h>
#include <sys/utsname.h>

void suite_ingest_syscall_names(void);

static void
test_own(void)
{
	/* What the headers of this machine's C library say. */
	static const struct {
		uint64_t number;
		const char *name;
	} known[] = {
		{SYS_read, "read"},
		{SYS_fdatasync, "fdatasync"},
		{SYS_openat, "openat"},
		{SYS_mmap, "mmap"},
		{SYS_newfstatat, "newfstatat"},
		{SYS_rt_sigreturn, "rt_sigreturn"},
		{SYS_futex, "futex"},
		{SYS_exit_group, "exit_group"},
		{SYS_prlimit64, "prlimit64"},
		{SYS_getrandom, "getrandom"},
		{SYS_copy_file_range, "copy_file_range"},
		{SYS_rseq, "rseq"},
		{SYS_pidfd_open, "pidfd_open"},
		{SYS_clone3, "clone3"},
		{SYS_epoll_pwait2, "epoll_pwait2"},
	};
	struct utsname host;

	uname(&host);
	enum syscall_table table = syscall_table_of(host.machine, false);

	if (table == SYSCALLS_OTHER) {
		unit_skip("no table for this kind of machine");
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		UNIT_STR_EQ(syscall_name(table, known[i].number), known[i].name);
}

static void
test_machines(void)
{
	UNIT_STR_EQ(syscall_name(syscall_table_of("x86_64", false), 75), "fdatasync");
	UNIT_STR_EQ(syscall_name(syscall_table_of("x86_64", true), 148), "fdatasync");
	UNIT_STR_EQ(syscall_name(syscall_table_of("aarch64", false), 83), "fdatasync");
	UNIT_STR_EQ(syscall_name(syscall_table_of("aarch64", false), 452), "fchmodat2");
	CU_ASSERT_EQUAL(syscall_table_of("aarch64", true), SYSCALLS_OTHER);
	CU_ASSERT_EQUAL(syscall_table_of("riscv64", false), SYSCALLS_OTHER);
}

static void
test_unknown(void)
{
	CU_ASSERT_PTR_NULL(syscall_name(SYSCALLS_OTHER, 0));
	CU_ASSERT_PTR_NULL(syscall_name(SYSCALLS_X86_64, 400));
	CU_ASSERT_PTR_NULL(syscall_name(SYSCALLS_X86_64, 100000));
	CU_ASSERT_PTR_NULL(syscall_name(SYSCALLS_X86_64, UINT64_MAX));
	CU_ASSERT_PTR_NULL(syscall_name(SYSCALLS_AARCH64, 250));
}

static const struct unit_case cases[] = {
	{"numbers_have_the_names_of_the_system_headers", test_own},
	{"each_machine_has_numbers_of_its_own", test_machines},
	{"numbers_without_a_call_have_no_name", test_unknown},
	{NULL, NULL},
};

void
suite_ingest_syscall_names(void)
{
	unit_suite("ingest/syscall_names", cases);
}
