#include "libdw_walk.h"

#include <asm/perf_regs.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define REGISTERS 17
#define VDSO_BYTES 8192
#define KEPT_MAX 64

/* One state of an address space, with its modules. */
struct kept {
	uint32_t id;
	Dwfl *dwfl;
	bool attached;
};

struct libdw_walk {
	struct kept kept[KEPT_MAX];
	size_t nkept;
	char vdso_path[64];

	/* The sample being walked. */
	uint64_t registers[REGISTERS];
	const struct record_sample *sample;
	struct libdw_stack *stack;
	bool missed;  /* memory that the copy does not have, since the last frame */
	bool ran_out; /* ... because the copy is too short */
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* perf's numbers of the registers, by DWARF's (System V ABI, AMD64 supplement, figure 3.36). */
static const uint8_t perf_registers[REGISTERS] = {
	PERF_REG_X86_AX,
	PERF_REG_X86_DX,
	PERF_REG_X86_CX,
	PERF_REG_X86_BX,
	PERF_REG_X86_SI,
	PERF_REG_X86_DI,
	PERF_REG_X86_BP,
	PERF_REG_X86_SP,
	PERF_REG_X86_R8,
	PERF_REG_X86_R9,
	PERF_REG_X86_R10,
	PERF_REG_X86_R11,
	PERF_REG_X86_R12,
	PERF_REG_X86_R13,
	PERF_REG_X86_R14,
	PERF_REG_X86_R15,
	PERF_REG_X86_IP,
};

/* libdwfl wants a file: ours of the vDSO is as good as any other process's. */
static void
write_vdso(struct libdw_walk *walk)
{
	const void *vdso = NULL;
	unsigned long address = getauxval(AT_SYSINFO_EHDR);

	memcpy(&vdso, &address, sizeof(vdso));
	snprintf(walk->vdso_path, sizeof(walk->vdso_path), "/tmp/libdw_walk.XXXXXX");
	int fd = mkstemp(walk->vdso_path);

	if (fd < 0 || !vdso || write(fd, vdso, VDSO_BYTES) != VDSO_BYTES)
		walk->vdso_path[0] = '\0';
	if (fd >= 0)
		close(fd);
}

struct libdw_walk *
libdw_walk_new(void)
{
	struct libdw_walk *walk = calloc(1, sizeof(*walk));

	elf_version(EV_CURRENT);
	if (walk)
		write_vdso(walk);
	return walk;
}

static void
forget(struct libdw_walk *walk)
{
	for (size_t i = 0; i < walk->nkept; i++)
		dwfl_end(walk->kept[i].dwfl);
	walk->nkept = 0;
}

void
libdw_walk_free(struct libdw_walk *walk)
{
	forget(walk);
	if (walk->vdso_path[0])
		unlink(walk->vdso_path);
	free(walk);
}

/* What has to be added to a file's addresses for this mapping of it; false if it is no code of it.
 */
static bool
load_bias(const char *path, const struct mapping *mapping, uint64_t *bias)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t count = 0;
	bool found = false;

	if (elf)
		elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && !found; i++) {
		GElf_Phdr header;
		uint64_t offset = mapping->file_offset;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
			!(header.p_flags & PF_X))
			continue;
		if (offset + 4096 <= header.p_offset || offset >= header.p_offset + header.p_filesz)
			continue;
		*bias = mapping->start - (header.p_vaddr - header.p_offset + offset);
		found = true;
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/*
 * libdwfl drops a file that is reported twice, be it for its segments of code or since a part of it
 * is mapped elsewhere, too: V8 does that with its own. The first is taken.
 */
static bool
is_reported(const struct space *space, const struct mapping *wanted)
{
	const char *path = wanted->file->key.path;
	struct mapping mapping;
	uint64_t bias;

	for (uint64_t at = 0; space_next(space, at, &mapping) && mapping.start < wanted->start;
		at = mapping.start) {
		if (mapping.file->kind == MAPPING_FILE &&
			strcmp(mapping.file->key.path, path) == 0 &&
			load_bias(path, &mapping, &bias))
			return true;
	}
	return false;
}

static void
report_modules(struct libdw_walk *walk, Dwfl *dwfl, const struct space *space)
{
	struct mapping mapping;

	dwfl_report_begin(dwfl);
	for (uint64_t at = 0; space_next(space, at, &mapping); at = mapping.start) {
		const char *path = mapping.file->key.path;
		uint64_t bias = 0;

		if (mapping.file->kind == MAPPING_VDSO)
			path = walk->vdso_path;
		else if (mapping.file->kind != MAPPING_FILE)
			continue;
		if (!load_bias(path, &mapping, &bias))
			continue;
		if (is_reported(space, &mapping))
			continue;
		if (!dwfl_report_elf(dwfl, path, path, -1, bias, true))
			fprintf(stderr, "libdw_unwind: %s: %s\n", path, dwfl_errmsg(-1));
	}
	dwfl_report_end(dwfl, NULL, NULL);
}

static pid_t
next_thread(Dwfl *dwfl, void *context, void **thread_context)
{
	(void)dwfl;
	if (*thread_context)
		return 0;
	*thread_context = context;
	return 1;
}

static bool
get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread_context)
{
	(void)dwfl;
	(void)tid;
	*thread_context = context;
	return true;
}

static bool
read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
	struct libdw_walk *walk = context;
	uint64_t start = walk->registers[7];
	const struct record_sample *sample = walk->sample;

	(void)dwfl;
	if (address < start || address - start + sizeof(*result) > sample->user_stack_bytes) {
		walk->missed = true;
		walk->ran_out |= address >= start;
		return false;
	}
	memcpy(result, sample->user_stack + (address - start), sizeof(*result));
	return true;
}

static bool
set_registers(Dwfl_Thread *thread, void *context)
{
	const struct libdw_walk *walk = context;

	return dwfl_thread_state_registers(thread, 0, REGISTERS, walk->registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static struct kept *
keep_space(struct libdw_walk *walk, const struct space *space)
{
	for (size_t i = 0; i < walk->nkept; i++)
		if (walk->kept[i].id == space->id)
			return &walk->kept[i];
	if (walk->nkept == KEPT_MAX)
		forget(walk);

	struct kept *kept = &walk->kept[walk->nkept++];

	*kept = (struct kept){.id = space->id, .dwfl = dwfl_begin(&callbacks)};
	report_modules(walk, kept->dwfl, space);
	kept->attached = dwfl_attach_state(kept->dwfl, NULL, 1, &thread_callbacks, walk);
	return kept;
}

static int
take_frame(Dwfl_Frame *frame, void *context)
{
	struct libdw_walk *walk = context;
	struct libdw_stack *stack = walk->stack;
	Dwarf_Addr pc = 0;
	bool exact = false;

	/* To tell whether this frame is an interrupted one, libdw goes to its caller. */
	walk->missed = false;
	walk->ran_out = false;
	if (!dwfl_frame_pc(frame, &pc, &exact) || stack->count == LIBDW_DEPTH_MAX)
		return DWARF_CB_ABORT;
	stack->frames[stack->count] = (struct libdw_frame){pc, exact || stack->count == 0};
	stack->count++;
	return DWARF_CB_OK;
}

static bool
take_registers(struct libdw_walk *walk, uint64_t mask, const struct record_sample *sample)
{
	for (size_t i = 0; i < REGISTERS; i++) {
		uint64_t below = mask & ((UINT64_C(1) << perf_registers[i]) - 1);
		size_t at = (size_t)__builtin_popcountll(below);

		if (!(mask >> perf_registers[i] & 1) || at >= sample->nuser_regs)
			return false;
		walk->registers[i] = sample->user_regs[at];
	}
	return true;
}

void
libdw_walk_sample(struct libdw_walk *walk, const struct space *space, uint64_t mask,
	const struct record_sample *sample, struct libdw_stack *stack)
{
	stack->count = 0;
	stack->end = LIBDW_BROKEN;
	stack->why = "";
	walk->sample = sample;
	walk->stack = stack;
	walk->missed = false;
	walk->ran_out = false;
	if (!take_registers(walk, mask, sample))
		return;

	struct kept *kept = keep_space(walk, space);

	if (!kept->attached) {
		stack->why = "no module that libdw can use";
		return;
	}
	/* A return address that cannot be read makes an outermost frame for libdw. */
	if (dwfl_getthread_frames(kept->dwfl, 1, take_frame, walk) != 0)
		stack->why = dwfl_errmsg(-1);
	else if (walk->missed)
		stack->why = "memory that is not in the copy";
	else
		stack->end = LIBDW_ROOT;
	if (stack->end == LIBDW_BROKEN && walk->ran_out)
		stack->end = LIBDW_TRUNCATED;
}
