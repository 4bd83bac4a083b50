#include "analysis/class.h"

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
		{"do_execveat_common.isra.0", FRAME_KERNEL, CLASS_KERNEL | CLASS_START},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		unsigned classes = class_of_function(known[i].name, known[i].kind);

		CU_ASSERT_EQUAL(classes, known[i].classes);
		if (classes != known[i].classes)
			printf("%s: %#x\n", known[i].name, classes);
	}
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
		{"system_calls_have_their_users_names", system_calls_have_their_users_names},
		{NULL, NULL},
	};

	unit_suite("analysis/class", cases);
}
