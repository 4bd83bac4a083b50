#include "analysis/traits.h"

#include "sample.h"

void suite_analysis_class(void);

static void
names_tell_what_functions_are_for(void)
{
	static const struct {
		const char *name;
		enum frame_kind kind;
		unsigned classes;
	} known[] = {
		{"__libc_calloc", FRAME_USER, CLASS_ALLOC},
		{"cfree@GLIBC_2.2.5", FRAME_USER, CLASS_ALLOC},
		{"__GI___libc_free", FRAME_USER, CLASS_ALLOC},
		{"operator new(unsigned long)", FRAME_USER, CLASS_ALLOC},
		{"_PyObject_Malloc", FRAME_USER, CLASS_ALLOC},
		{"lock_free", FRAME_USER, 0},
		{"kmalloc", FRAME_KERNEL, CLASS_KERNEL},
		{"free", FRAME_JIT, 0},
		{"[libmalloc]", FRAME_USER, 0},
		{"___pthread_mutex_lock", FRAME_USER, CLASS_LOCK},
		{"_raw_spin_lock_irqsave", FRAME_KERNEL, CLASS_KERNEL | CLASS_LOCK},
		/* Where a guest takes its interrupts, and no lock. */
		{"_raw_spin_unlock_irqrestore", FRAME_KERNEL, CLASS_KERNEL},
		{"__x64_sys_futex", FRAME_KERNEL,
			CLASS_KERNEL | CLASS_SYSCALL | CLASS_LOCK | CLASS_WAIT},
		{"__schedule", FRAME_KERNEL, CLASS_KERNEL | CLASS_SCHEDULE},
		{"irqentry_exit_to_user_mode", FRAME_KERNEL, CLASS_KERNEL | CLASS_SCHEDULE},
		{"schedule", FRAME_USER, 0},
		{"do_execveat_common.isra.0", FRAME_KERNEL, CLASS_KERNEL | CLASS_START},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		unsigned classes = function_class(known[i].name, known[i].kind);

		CU_ASSERT_EQUAL(classes, known[i].classes);
		if (classes != known[i].classes)
			printf("%s: %#x\n", known[i].name, classes);
	}
}

/* A kernel function is what it mostly runs for. */
static void
what_runs_below_interrupts_is_background(void)
{
	static const struct stack stacks[] = {
		{"a;main;asm_sysvec_apic_timer_interrupt_[k];account_[k]", 6},
		{"a;main;__x64_sys_times_[k];account_[k]", 4},
		{"a;main;__x64_sys_read_[k];copy_[k]", 6},
		{"a;main;asm_sysvec_apic_timer_interrupt_[k];copy_[k]", 4},
		{NULL, 0},
	};
	struct profile profile;
	struct buf names = {0};

	stacks_fill(&profile, stacks);
	bool *background = function_class_background(&profile);

	for (frame_id frame = 1; frame < profile.frames.nframes; frame++) {
		if (background[frame])
			buf_printf(&names, "%s ", profile_frame_name(&profile, frame));
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(buf_text(&names), "account"));
	CU_ASSERT_PTR_NOT_NULL(strstr(buf_text(&names), "asm_sysvec_apic_timer_interrupt"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&names), "copy"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&names), "main"));
	free(background);
	buf_release(&names);
	profile_release(&profile);
}

static void
system_calls_have_their_users_names(void)
{
	static const struct stack stacks[] = {
		{"a;__x64_sys_read_[k];ksys_write_[k];__do_sys_newfstatat_[k];vfs_read_[k]", 1},
		{NULL, 0},
	};
	struct profile profile;
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	for (frame_id frame = 2; frame < profile.frames.nframes; frame++) {
		class_put_syscall(&out, &profile, frame);
		buf_putc(&out, ' ');
	}
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "read write newfstatat vfs_read_[k] ");
	profile_release(&profile);
	buf_release(&out);
}

void
suite_analysis_class(void)
{
	static const struct unit_case cases[] = {
		{"names_tell_what_functions_are_for", names_tell_what_functions_are_for},
		{"what_runs_below_interrupts_is_background",
			what_runs_below_interrupts_is_background},
		{"system_calls_have_their_users_names", system_calls_have_their_users_names},
		{NULL, NULL},
	};

	unit_suite("analysis/class", cases);
}
