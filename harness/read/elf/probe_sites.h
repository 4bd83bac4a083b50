/*
 * Where in an ELF file a probe of the kernel (uprobe) goes: at the entry of a function, or at the
 * places of a USDT probe of the program.
 *
 * Source: Documentation/trace/uprobetracer.rst of the kernel tree; for USDT the page "User Space
 * Probe Implementation" in the wiki of SystemTap (.note.stapsdt).
 */
#ifndef ELF_PROBE_SITES_H
#define ELF_PROBE_SITES_H

#include "base/arena.h"
#include "base/buf.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both are offsets in the file. */
struct probe_site {
	uint64_t offset;
	uint64_t semaphore; /* the program's count of who listens to the probe; 0: it has none */
	const char *name;   /* of the function, as in the file; the arena's */
};

/* All zeros is an empty one. */
struct probe_sites {
	struct probe_site *all; /* each offset once */
	size_t count;
	size_t capacity;
	struct arena arena;
};

void probe_sites_release(struct probe_sites *sites);

/*
 * Adds the entries of the functions of this name, as it is in the file or demangled. `image` was
 * opened at `path`; the symbols of a stripped one are those of its debug file, if there is one.
 */
void probe_sites_add_function(struct probe_sites *sites, const struct elf_image *image,
	const char *path, const char *name);

/* Adds the places of the USDT probe PROVIDER:NAME. */
void probe_sites_add_usdt(struct probe_sites *sites, const struct elf_image *image,
	const char *provider, const char *name);

/* Appends "a, b, c": some functions whose names begin with `name` or end in it; maybe none. */
void probe_sites_put_similar(
	const struct elf_image *image, const char *path, const char *name, struct buf *out);

/* Appends some USDT probes as "a:b, c:d", of this provider (NULL: of any); maybe none. */
void probe_sites_put_usdt(const struct elf_image *image, const char *provider, struct buf *out);

/* Whether only its exported functions are known: it is stripped, and has no debug file. */
bool probe_sites_are_exported_only(const struct elf_image *image, const char *path);

#endif
