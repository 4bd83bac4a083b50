#include "sample.h"

void suite_analysis_trait_system(void);

static void
kernel_time_is_reported_by_system_call(void)
{
	struct stack stacks[] = {
		{"app;main;log;write;do_syscall_64_[k];ksys_write_[k];vfs_write_[k]", 8},
		{"app;main;load;read;do_syscall_64_[k];__x64_sys_read_[k]", 3},
		{"app;main;work;asm_sysvec_apic_timer_interrupt_[k]", 1},
		{"app;main;work;asm_exc_page_fault_[k]", 2},
		{"app;main;work", 86},
		{NULL, 0},
	};

	check_trait(trait_kernel, stacks,
		"12.0 % of the samples are in the kernel, page faults left out\n"
		"System calls, by the kernel's name: 8.0 % write, 3.0 % read; interrupts 1.0 %\n"
		"Callers: 72.7 % write, 27.3 % read\n");
	stacks[4].weight = 110;
	check_trait(trait_kernel, stacks, "");
}

/* Bytes that were read or written are all in the kernel: that is no news, and no CPU time. */
static void
counts_of_system_calls_are_no_time(void)
{
	static const struct stack stacks[] = {
		{"app;_start;_dl_start;read;read_[k]", 832},
		{"app;main;write;write_[k]", 100},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.metric = strtab_intern_str(&profile.strings, "io");
	profile.unit = strtab_intern_str(&profile.strings, "bytes");
	profile.runs[0].cpu_ns = 1000000;
	trait_says(trait_kernel, &profile, &out);
	UNIT_STR_EQ(buf_text(&out), "");
	trait_says(trait_start, &profile, &out);
	UNIT_STR_EQ(buf_text(&out),
		"89.3 % of the bytes are in functions that start the program: 89.3 % _dl_start\n");
	profile_release(&profile);
	buf_release(&out);
}

static void
who_asks_the_kernel_is_the_program_where_modules_are_known(void)
{
	static const struct stack stacks[] = {
		{"app;main;log;write;do_syscall_64_[k];ksys_write_[k]", 8},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	profile.frames.frames[profile_frame_text(&profile, "write", 5)].module =
		strtab_intern_str(&profile.strings, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	trait_says(trait_kernel, &profile, &out);
	UNIT_CONTAINS(buf_text(&out), "Callers: 100 % log\n");
	profile_release(&profile);
	buf_release(&out);
}

static void
page_faults_are_reported_by_kind_and_cause(void)
{
	struct stack stacks[] = {
		{"app;main;fill;asm_exc_page_fault_[k];exc_page_fault_[k];do_anonymous_page_[k]",
			3},
		{"app;main;load;asm_exc_page_fault_[k];do_fault_[k];filemap_map_pages_[k]", 1},
		{"app;main;work", 96},
		{NULL, 0},
	};

	check_trait(trait_faults, stacks,
		"4.0 % of the samples are page faults\n"
		"75.0 % of them touch memory for the first time: reusing memory avoids them; 25.0 % of them map pages of files, such as the program and its libraries\n"
		"Caused by: 75.0 % fill, 25.0 % load\n");
	stacks[2].weight = 97;
	check_trait(trait_faults, stacks, "");
}

static void
locks_are_reported_with_what_waits(void)
{
	struct stack stacks[] = {
		{"app;main;push;pthread_mutex_lock@@GLIBC_2.2.5", 3},
		{"app;main;pop;pthread_mutex_lock@@GLIBC_2.2.5;do_syscall_64_[k];"
		 "__x64_sys_futex_[k]",
			1},
		{"app;main;work", 96},
		{NULL, 0},
	};

	check_trait(trait_locks, stacks,
		"4.0 % of the samples are in functions that take or release locks: 4.0 % "
		"pthread_mutex_lock@@GLIBC_2.2.5\n"
		"25.0 % of that waits for a contended lock on the CPU; time asleep is not in this profile\n"
		"By caller: 75.0 % push, 25.0 % pop\n");
	stacks[1].frames = "app;main;pop;pthread_mutex_unlock";
	check_trait(trait_locks, stacks,
		"4.0 % of the samples are in functions that take or release locks: 3.0 % "
		"pthread_mutex_lock@@GLIBC_2.2.5, 1.0 % pthread_mutex_unlock\n"
		"None of it waits for a contended lock: this is the cost of taking locks\n"
		"By caller: 75.0 % push, 25.0 % pop\n");
	stacks[2].weight = 97;
	check_trait(trait_locks, stacks, "");
}

static void
allocation_is_reported_with_its_callers(void)
{
	struct stack stacks[] = {
		{"app;main;grow;operator new;malloc;_int_malloc", 5},
		{"app;main;grow;operator new;malloc;_int_malloc;asm_exc_page_fault_[k]", 1},
		{"app;main;drop;cfree@GLIBC_2.2.5", 2},
		{"app;main;lock_free;tree_free", 92},
		{NULL, 0},
	};

	check_trait(trait_allocation, stacks,
		"8.0 % of the samples are in functions that allocate and free memory: 6.0 % operator new, 2.0 % "
		"cfree@GLIBC_2.2.5\n"
		"By caller: 75.0 % grow, 25.0 % drop\n"
		"12.5 % of that are page faults\n");
	stacks[3].weight = 93;
	check_trait(trait_allocation, stacks, "");
}

static void
starting_is_reported_where_it_is_much(void)
{
	struct stack stacks[] = {
		{"app;_start;_dl_start;_dl_relocate_object", 6},
		{"app;execve;do_syscall_64_[k];__x64_sys_execve_[k];load_elf_binary_[k]", 4},
		{"app;main;work", 90},
		{NULL, 0},
	};

	check_trait(trait_start, stacks,
		"10.0 % of the samples are in functions that start the program: 6.0 % _dl_start, 4.0 % "
		"__x64_sys_execve_[k]\n");
	stacks[2].weight = 91;
	check_trait(trait_start, stacks, "");
}

void
suite_analysis_trait_system(void)
{
	static const struct unit_case cases[] = {
		{"kernel_time_is_reported_by_system_call", kernel_time_is_reported_by_system_call},
		{"counts_of_system_calls_are_no_time", counts_of_system_calls_are_no_time},
		{"who_asks_the_kernel_is_the_program_where_modules_are_known",
			who_asks_the_kernel_is_the_program_where_modules_are_known},
		{"page_faults_are_reported_by_kind_and_cause",
			page_faults_are_reported_by_kind_and_cause},
		{"locks_are_reported_with_what_waits", locks_are_reported_with_what_waits},
		{"allocation_is_reported_with_its_callers",
			allocation_is_reported_with_its_callers},
		{"starting_is_reported_where_it_is_much", starting_is_reported_where_it_is_much},
		{NULL, NULL},
	};

	unit_suite("analysis/trait_system", cases);
}
