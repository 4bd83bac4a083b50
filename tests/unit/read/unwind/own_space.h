/*
 * Samples of our own process: what is mapped, registers, and copies of the stack.
 */
#ifndef UNIT_UNWIND_OWN_SPACE_H
#define UNIT_UNWIND_OWN_SPACE_H

#include "base/mem.h"
#include "elf/elf_image.h"
#include "unwind/unwind_table.h"
#include "unwind/unwinder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined(__aarch64__)
#define OWN_MACHINE "aarch64"
#else
#define OWN_MACHINE "x86_64"
#endif

/* The tables of this process's own code; each file's is made once. */
struct own_space {
	struct unwind_space space;
	char **paths; /* by map */
	size_t paths_capacity;
	size_t maps_capacity;
	size_t own_map; /* the one with this function */
};

static inline struct unwind_table *
own_space_open(const struct own_space *own, const char *path)
{
	const struct unwind_machine *machine = unwind_machine_find(OWN_MACHINE);
	struct elf_image image;

	for (size_t i = 0; i < own->space.nmaps; i++) {
		if (strcmp(own->paths[i], path) == 0)
			return own->space.maps[i].table;
	}
	if (strcmp(path, "[vdso]") == 0 ? elf_image_open_vdso(&image)
					: *path == '/' && elf_image_open(&image, path))
		return unwind_table_new(machine, &image, NULL);
	return NULL;
}

/* False where /proc/self/maps cannot be read. */
static inline bool
own_space_init(struct own_space *own)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096];

	*own = (struct own_space){.paths = NULL};
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		unsigned long start = 0;
		unsigned long end = 0;
		unsigned long offset = 0;
		char mode[5] = "";
		int path_at = 0;

		/* NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion,cert-err34-c) */
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &start, &end, mode, &offset,
			    &path_at) < 4 ||
			mode[2] != 'x')
			continue;
		size_t i = own->space.nmaps;
		struct unwind_map map = {.start = start, .end = end, .file_offset = offset};

		line[strcspn(line, "\n")] = '\0';
		map.table = own_space_open(own, line + path_at);
		own->space.maps = mem_grow(
			own->space.maps, &own->maps_capacity, i + 1, sizeof(*own->space.maps));
		own->paths = mem_grow(own->paths, &own->paths_capacity, i + 1, sizeof(*own->paths));
		own->paths[i] = mem_strdup(line + path_at);
		own->space.maps[i] = map;
		own->space.nmaps++;
		if (start <= (uintptr_t)own_space_init && (uintptr_t)own_space_init < end)
			own->own_map = i;
	}
	fclose(file);
	return own->space.nmaps > 0;
}

static inline void
own_space_release(struct own_space *own)
{
	for (size_t i = 0; i < own->space.nmaps; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= own->space.maps[k].table == own->space.maps[i].table;
		if (!again)
			unwind_table_free(own->space.maps[i].table);
	}
	for (size_t i = 0; i < own->space.nmaps; i++)
		free(own->paths[i]);
	free(own->paths);
	free(own->space.maps);
}

/* Registers as a signal or getcontext() left them. */
static inline void
own_regs(const ucontext_t *context, struct unwind_regs *regs)
{
#if defined(__aarch64__)
	for (unsigned i = 0; i < 31; i++)
		regs->values[i] = context->uc_mcontext.regs[i];
	regs->values[31] = context->uc_mcontext.sp;
	regs->pc = context->uc_mcontext.pc;
	regs->known = UINT64_C(0xffffffff);
#else
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
		REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
		REG_RIP};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		regs->values[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	regs->pc = regs->values[16];
	regs->known = UINT64_C(0x1ffff);
#endif
}

/* The end of the calling thread's stack. */
static inline uint64_t
own_stack_end(void)
{
	pthread_attr_t attr;
	void *start = NULL;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return 0;
	pthread_attr_getstack(&attr, &start, &size);
	pthread_attr_destroy(&attr);
	return (uintptr_t)start + size;
}

/*
 * Copies the stack from `sp` up to at most `size` bytes; returns how many. As the kernel does it:
 * whatever lies there, so the sanitizers must not look.
 */
__attribute__((no_sanitize("address", "undefined"), noinline, unused)) static size_t
own_stack_copy(uint64_t sp, uint64_t end, unsigned char *copy, size_t size)
{
	const volatile unsigned char *from;
	size_t count = end - sp < size ? (size_t)(end - sp) : size;

	memcpy((void *)&from, &sp, sizeof(from));
	for (size_t i = 0; i < count; i++)
		copy[i] = from[i];
	return count;
}

#endif
