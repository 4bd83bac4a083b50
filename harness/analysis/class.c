#include "analysis/class.h"

#include "analysis/sentences.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/name.h"

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
class_of_function(const char *name, enum frame_kind kind)
{
	bool kernel = kind == FRAME_KERNEL;
	const struct known *known = kernel ? kernel_functions : user_functions;
	size_t n = kernel ? sizeof(kernel_functions) / sizeof(*known)
			  : sizeof(user_functions) / sizeof(*known);
	unsigned classes = kernel ? CLASS_KERNEL : 0;
	const char *plain;

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
class_of_frames(const struct profile *profile)
{
	unsigned *classes = mem_zalloc(profile->frames.nframes, sizeof(*classes));

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++)
		classes[frame] = class_of_function(
			profile_frame_name(profile, frame), profile->frames.frames[frame].kind);
	return classes;
}

double
class_weight(const struct analysis_data *data, const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	unsigned *above = mem_zalloc(tree->nnodes, sizeof(*above));
	double weight = 0;

	for (size_t i = 1; i < tree->nnodes; i++) {
		above[i] = above[tree->nodes[i].parent] | classes[tree->nodes[i].frame];
		weight += (above[i] & mask) == mask ? data->self[i] : 0;
	}
	free(above);
	return weight;
}

/* The C library's functions are on the way to what a program asks for, and ask for nothing. */
static bool
hands_on(const struct profile *profile, frame_id frame)
{
	const struct frame *f = &profile->frames.frames[frame];
	const char *file = file_basename(strtab_str(&profile->strings, f->module));

	return f->kind == FRAME_KERNEL || strncmp(file, "libc.so", 7) == 0 ||
	       strncmp(file, "libc-", 5) == 0;
}

/* The nearest function above that is the program's, else the nearest of all. */
static node_id
owner_above(const struct analysis_data *data, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	node_id above = nodes[node].parent;
	node_id at = above;

	while (at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT &&
		hands_on(data->profile, nodes[at].frame))
		at = nodes[at].parent;
	return at != CTREE_ROOT && nodes[at].parent != CTREE_ROOT ? at : above;
}

static void
add_function(const struct analysis_data *data, struct analysis_edges *edges, frame_id frame,
	double weight)
{
	if (!frame_name_is_mark(profile_frame_name(data->profile, frame)))
		analysis_edges_add(data, edges, frame, weight);
}

void
class_group_init(struct class_group *group, const struct analysis_data *data,
	const unsigned *classes, unsigned mask)
{
	const struct ctree *tree = &data->profile->tree;
	node_id *entry = mem_zalloc(tree->nnodes, sizeof(*entry));

	*group = (struct class_group){0};
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		entry[i] = entry[node->parent];
		if (entry[i] == CTREE_ROOT && (classes[node->frame] & mask))
			entry[i] = (node_id)i;
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		group->weight += data->self[i];
		add_function(data, &group->entries, tree->nodes[entry[i]].frame, data->self[i]);
	}
	analysis_edges_end(data, &group->entries);
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (entry[i] == CTREE_ROOT || !(data->self[i] > 0))
			continue;
		node_id above = owner_above(data, entry[i]);

		if (above != CTREE_ROOT && tree->nodes[above].parent != CTREE_ROOT)
			add_function(data, &group->owners, data->code[above], data->self[i]);
	}
	analysis_edges_end(data, &group->owners);
	free(entry);
}

void
class_group_release(struct class_group *group)
{
	free(group->entries.edges);
	free(group->owners.edges);
	*group = (struct class_group){0};
}

void
class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame)
{
	const char *plain;
	size_t len = plain_name(profile_frame_name(profile, frame), &plain);

	for (size_t i = 0; i < sizeof(kernel_functions) / sizeof(*kernel_functions); i++) {
		const struct known *known = &kernel_functions[i];
		size_t prefix = strlen(known->text);

		if (known->classes != CLASS_SYSCALL || !is_known(known, plain, len) ||
			len == prefix)
			continue;
		name_fit(out, plain + prefix, len - prefix, 40);
		return;
	}
	analysis_put_name(out, profile, frame);
}
