#include "profile/function_class.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define WHOLE_NAME 0
#define BEGINNING 1
#define ENDING 2
#define PLAIN_MAX 120

struct known {
	const char *text; /* without leading underscores */
	int part;
	unsigned classes;
};

static const struct known kernel_functions[] = {
	{"system call ", BEGINNING, CLASS_SYSCALL}, /* function_class.h */
	{"page fault", WHOLE_NAME, CLASS_FAULT},
	{"interrupt", WHOLE_NAME, CLASS_INTERRUPT},
	{"x64_sys_", BEGINNING, CLASS_SYSCALL},
	{"ia32_sys_", BEGINNING, CLASS_SYSCALL},
	{"arm64_sys_", BEGINNING, CLASS_SYSCALL},
	{"se_sys_", BEGINNING, CLASS_SYSCALL},
	{"do_sys_", BEGINNING, CLASS_SYSCALL},
	{"ksys_", BEGINNING, CLASS_SYSCALL},
	{"x64_sys_futex", BEGINNING, CLASS_LOCK | CLASS_WAIT},
	{"x64_sys_execve", BEGINNING, CLASS_START},
	{"arm64_sys_execve", BEGINNING, CLASS_START},
	{"do_execveat_common", BEGINNING, CLASS_START},
	{"asm_exc_page_fault", WHOLE_NAME, CLASS_FAULT},
	{"exc_page_fault", WHOLE_NAME, CLASS_FAULT},
	{"asm_page_fault", BEGINNING, CLASS_FAULT},
	{"do_user_addr_fault", WHOLE_NAME, CLASS_FAULT},
	{"do_page_fault", WHOLE_NAME, CLASS_FAULT},
	{"handle_mm_fault", WHOLE_NAME, CLASS_FAULT},
	{"do_anonymous_page", WHOLE_NAME, CLASS_FRESH},
	{"do_huge_pmd_anonymous_page", WHOLE_NAME, CLASS_FRESH},
	{"filemap_map_pages", WHOLE_NAME, CLASS_FILE},
	{"filemap_fault", WHOLE_NAME, CLASS_FILE},
	{"do_read_fault", WHOLE_NAME, CLASS_FILE},
	{"do_fault", WHOLE_NAME, CLASS_FILE},
	{"do_wp_page", WHOLE_NAME, CLASS_COPY},
	{"wp_page_copy", WHOLE_NAME, CLASS_COPY},
	{"asm_sysvec_", BEGINNING, CLASS_INTERRUPT},
	{"sysvec_", BEGINNING, CLASS_INTERRUPT},
	{"asm_common_interrupt", WHOLE_NAME, CLASS_INTERRUPT},
	{"common_interrupt", WHOLE_NAME, CLASS_INTERRUPT},
	{"el0_interrupt", WHOLE_NAME, CLASS_INTERRUPT},
	{"irqentry_", BEGINNING, CLASS_SCHEDULE},
	{"exit_to_user_mode_loop", WHOLE_NAME, CLASS_SCHEDULE},
	{"exit_to_user_mode_prepare", WHOLE_NAME, CLASS_SCHEDULE},
	{"native_irq_return_iret", WHOLE_NAME, CLASS_SCHEDULE},
	{"irq_enter", BEGINNING, CLASS_SCHEDULE},
	{"irq_exit", BEGINNING, CLASS_SCHEDULE},
	{"el0t_64_irq", BEGINNING, CLASS_SCHEDULE},
	{"el1h_64_irq", BEGINNING, CLASS_SCHEDULE},
	{"do_softirq", BEGINNING, CLASS_SCHEDULE},
	{"handle_softirqs", WHOLE_NAME, CLASS_SCHEDULE},
	{"schedule", BEGINNING, CLASS_SCHEDULE},
	{"preempt_schedule", BEGINNING, CLASS_SCHEDULE},
	{"pick_next_task", BEGINNING, CLASS_SCHEDULE},
	{"finish_task_switch", BEGINNING, CLASS_SCHEDULE},
	{"switch_to", BEGINNING, CLASS_SCHEDULE},
	{"try_to_wake_up", WHOLE_NAME, CLASS_SCHEDULE},
	{"hrtimer_interrupt", WHOLE_NAME, CLASS_SCHEDULE},
	{"update_process_times", WHOLE_NAME, CLASS_SCHEDULE},
	{"sched_tick", WHOLE_NAME, CLASS_SCHEDULE},
	{"scheduler_tick", WHOLE_NAME, CLASS_SCHEDULE},
	{"pvm_", BEGINNING, CLASS_MACHINE},
	{"pv_", BEGINNING, CLASS_MACHINE},
	{"paravirt_", BEGINNING, CLASS_MACHINE},
	{"kvm_", BEGINNING, CLASS_MACHINE},
	{"xen_", BEGINNING, CLASS_MACHINE},
	{"hv_", BEGINNING, CLASS_MACHINE},
	{"hyperv_", BEGINNING, CLASS_MACHINE},
	{"vmware_", BEGINNING, CLASS_MACHINE},
	{"native_", BEGINNING, CLASS_MACHINE},
	{"do_futex", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"futex_", BEGINNING, CLASS_LOCK | CLASS_WAIT},
	{"native_queued_spin_lock_slowpath", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"pv_queued_spin_lock_slowpath", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"queued_spin_lock_slowpath", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"rwsem_", BEGINNING, CLASS_LOCK | CLASS_WAIT},
	{"osq_lock", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"mutex_spin_on_owner", WHOLE_NAME, CLASS_LOCK | CLASS_WAIT},
	{"mutex_lock", BEGINNING, CLASS_LOCK},
	{"raw_spin_lock", BEGINNING, CLASS_LOCK},
	{"down_read", BEGINNING, CLASS_LOCK},
	{"down_write", BEGINNING, CLASS_LOCK},
};

static const struct known user_functions[] = {
	{"pthread_mutex_", BEGINNING, CLASS_LOCK},
	{"pthread_rwlock_", BEGINNING, CLASS_LOCK},
	{"pthread_spin_", BEGINNING, CLASS_LOCK},
	{"pthread_cond_", BEGINNING, CLASS_LOCK},
	{"lll_mutex_", BEGINNING, CLASS_LOCK},
	{"lll_lock_wait", BEGINNING, CLASS_LOCK | CLASS_WAIT},
	{"futex_wait", BEGINNING, CLASS_LOCK | CLASS_WAIT},
	{"std::mutex::", BEGINNING, CLASS_LOCK},
	{"std::shared_mutex::", BEGINNING, CLASS_LOCK},
	{"free", WHOLE_NAME, CLASS_ALLOC},
	{"cfree", WHOLE_NAME, CLASS_ALLOC},
	{"int_free", BEGINNING, CLASS_ALLOC},
	{"int_malloc", BEGINNING, CLASS_ALLOC},
	{"memalign", ENDING, CLASS_ALLOC},
	{"aligned_alloc", WHOLE_NAME, CLASS_ALLOC},
	{"malloc_consolidate", WHOLE_NAME, CLASS_ALLOC},
	{"operator new", BEGINNING, CLASS_ALLOC},
	{"operator delete", BEGINNING, CLASS_ALLOC},
	{"malloc", ENDING, CLASS_ALLOC},
	{"Malloc", ENDING, CLASS_ALLOC},
	{"calloc", ENDING, CLASS_ALLOC},
	{"Calloc", ENDING, CLASS_ALLOC},
	{"realloc", ENDING, CLASS_ALLOC},
	{"Realloc", ENDING, CLASS_ALLOC},
	{"internal_alloc", ENDING, CLASS_ALLOC},
	{"_Free", ENDING, CLASS_ALLOC},
	{"sysfree", ENDING, CLASS_ALLOC},
	{"libc_free", WHOLE_NAME, CLASS_ALLOC},
	{"g_free", WHOLE_NAME, CLASS_ALLOC},
	{"ggc_free", WHOLE_NAME, CLASS_ALLOC},
	{"sqlite3_free", WHOLE_NAME, CLASS_ALLOC},
	{"dl_start", BEGINNING, CLASS_START},
	{"dl_sysdep_start", WHOLE_NAME, CLASS_START},
	{"dl_main", WHOLE_NAME, CLASS_START},
	{"dl_relocate_object", BEGINNING, CLASS_START},
	{"dl_runtime_resolve", BEGINNING, CLASS_START},
	{"dl_fixup", WHOLE_NAME, CLASS_START},
	{"dl_init", WHOLE_NAME, CLASS_START},
	{"libc_csu_init", WHOLE_NAME, CLASS_START},
	{"GLOBAL__sub_I_", BEGINNING, CLASS_START},
	{"static_initialization_and_destruction_0", BEGINNING, CLASS_START},
	{"Py_InitializeFromConfig", WHOLE_NAME, CLASS_START},
	{"PyImport_ImportModuleLevelObject", WHOLE_NAME, CLASS_START},
	{"node::InitializeOncePerProcess", BEGINNING, CLASS_START},
};

/* Without underscores ahead, versions, and what compilers append: __GI___libc_free@@X -> libc_free
 */
static size_t
plain_name(const char *name, const char **start)
{
	name += strspn(name, "_");
	if (strncmp(name, "GI_", 3) == 0)
		name += 3 + strspn(name + 3, "_");
	*start = name;
	/* A dot ahead of "(" or "<" would be one of a C++ name. */
	return strcspn(name, strpbrk(name, "(<") ? "@" : "@.");
}

static bool
is_known(const struct known *known, const char *name, size_t len)
{
	size_t text_len = strlen(known->text);

	if (text_len > len || (known->part == WHOLE_NAME && text_len != len))
		return false;
	return memcmp(known->part == ENDING ? name + len - text_len : name, known->text,
		       text_len) == 0;
}

unsigned
function_class(const char *name, enum frame_kind kind)
{
	bool kernel = kind == FRAME_KERNEL;
	const struct known *known = kernel ? kernel_functions : user_functions;
	size_t n = kernel ? sizeof(kernel_functions) / sizeof(*known)
			  : sizeof(user_functions) / sizeof(*known);
	unsigned classes = kernel ? CLASS_KERNEL : 0;
	const char *plain;

	/* Other load makes threads wait for a CPU. */
	if (kind == FRAME_WAIT)
		return CLASS_REASON | (strcmp(name, "run queue") == 0 ? CLASS_SCHEDULE : 0);
	/* Names without letters are of code that is not known; JIT code is the program's own. */
	if (kind == FRAME_JIT || name[0] == '[')
		return classes;
	size_t len = plain_name(name, &plain);

	for (size_t i = 0; i < n && len <= PLAIN_MAX; i++)
		if (is_known(&known[i], plain, len))
			classes |= known[i].classes;
	return classes;
}

unsigned *
function_classes(const struct profile *profile)
{
	unsigned *classes = mem_zalloc(profile->frames.nframes, sizeof(*classes));

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++)
		classes[frame] = function_class(
			profile_frame_name(profile, frame), profile->frames.frames[frame].kind);
	return classes;
}

size_t
function_class_syscall(const char *name, const char **call)
{
	const char *plain;
	size_t len = plain_name(name, &plain);

	for (size_t i = 0; i < sizeof(kernel_functions) / sizeof(*kernel_functions); i++) {
		const struct known *known = &kernel_functions[i];
		size_t prefix = strlen(known->text);

		if (known->classes != CLASS_SYSCALL || !is_known(known, plain, len) ||
			len == prefix)
			continue;
		*call = plain + prefix;
		return len - prefix;
	}
	return 0;
}

bool *
function_class_background(const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	size_t nframes = profile->frames.nframes;
	unsigned *classes = function_classes(profile);
	bool *background = mem_zalloc(nframes + 1, sizeof(*background));
	double *surplus = mem_zalloc(nframes + 1, sizeof(*surplus));

	for (frame_id frame = 1; frame < nframes; frame++)
		background[frame] = classes[frame] & (CLASS_INTERRUPT | CLASS_SCHEDULE);
	bool *covered = functions_covered(profile, background, false);

	for (size_t i = 1; i < tree->nnodes; i++) {
		for (size_t run = 0; run < profile->nruns; run++)
			surplus[tree->nodes[i].frame] +=
				ctree_weight(tree, run, (node_id)i) * (covered[i] ? 1 : -1);
	}
	for (frame_id frame = 1; frame < nframes; frame++)
		background[frame] |=
			profile->frames.frames[frame].kind == FRAME_KERNEL && surplus[frame] > 0;
	free(covered);
	free(surplus);
	free(classes);
	return background;
}
