/*
 * Which functions are inlined at addresses: ours, and the plain walk with libdw.
 *
 *     inline_names ours|libdw|print FILE <ADDRESSES
 *
 * ADDRESSES are hexadecimal, one a line. `ours` and `libdw` print the seconds it took, to open the
 * file included, and how many frames were found; `print` prints what addr2line -f -i does, with our
 * names and the line of each frame. inline_names.sh compiles and runs it.
 */
#include "dwarf/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_MAX 64

struct addresses {
	uint64_t *values;
	size_t count;
};

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct addresses
read_addresses(void)
{
	struct addresses all = {0};
	size_t capacity = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (all.count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			all.values = realloc(all.values, capacity * sizeof(*all.values));
			if (!all.values)
				abort();
		}
		all.values[all.count++] = strtoull(line, NULL, 16);
	}
	return all;
}

static struct inlines *
open_ours(const char *path)
{
	struct elf_image image;

	return elf_image_open(&image, path) ? inlines_open(&image, path, "") : NULL;
}

static size_t
run_ours(const char *path, const struct addresses *all)
{
	struct inline_frame frames[FRAMES_MAX];
	struct inlines *inlines = open_ours(path);
	size_t nframes = 0;

	for (size_t i = 0; inlines && i < all->count; i++)
		nframes += inlines_find(inlines, all->values[i], frames, FRAMES_MAX);
	inlines_close(inlines);
	return nframes;
}

/* As the callers of libdw do: the unit, the scopes, the names of those that are functions. */
static size_t
walk_libdw(Dwarf *dwarf, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Die *scopes = NULL;
	Dwarf_Die *chain = NULL;
	size_t nframes = 0;

	if (!dwarf_addrdie(dwarf, address, &unit))
		return 0;
	Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
	int number = 0;

	if (line)
		dwarf_lineno(line, &number);
	int nscopes = dwarf_getscopes(&unit, address, &scopes);

	if (nscopes > 0)
		nscopes = dwarf_getscopes_die(&scopes[0], &chain);
	for (int i = 0; i < nscopes; i++) {
		Dwarf_Attribute attribute;
		int tag = dwarf_tag(&chain[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (dwarf_attr_integrate(&chain[i], DW_AT_linkage_name, &attribute) &&
			dwarf_formstring(&attribute))
			nframes++;
		else if (dwarf_diename(&chain[i]))
			nframes++;
	}
	free(chain);
	free(scopes);
	return nframes;
}

static size_t
run_libdw(const char *path, const struct addresses *all)
{
	int fd = open(path, O_RDONLY);
	Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	size_t nframes = 0;

	for (size_t i = 0; dwarf && i < all->count; i++)
		nframes += walk_libdw(dwarf, all->values[i]);
	dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return nframes;
}

static void
print(const char *path, const struct addresses *all)
{
	struct inline_frame frames[FRAMES_MAX];
	struct inlines *inlines = open_ours(path);

	for (size_t i = 0; inlines && i < all->count; i++) {
		size_t count = inlines_find(inlines, all->values[i], frames, FRAMES_MAX);

		printf("0x%016" PRIx64 "\n", all->values[i]);
		for (size_t frame = 0; frame < count; frame++)
			printf("%s\n%s:%u\t%u\n", frames[frame].name ? frames[frame].name : "??",
				frames[frame].file ? frames[frame].file : "??", frames[frame].line,
				frames[frame].at_line);
	}
	inlines_close(inlines);
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	struct addresses all = read_addresses();
	double start = now();
	size_t nframes = 0;

	if (strcmp(argv[1], "print") == 0)
		print(argv[2], &all);
	else if (strcmp(argv[1], "ours") == 0)
		nframes = run_ours(argv[2], &all);
	else
		nframes = run_libdw(argv[2], &all);
	if (strcmp(argv[1], "print") != 0)
		printf("%.4f s, %.2f us an address, %zu frames\n", now() - start,
			(now() - start) * 1e6 / (double)(all.count ? all.count : 1), nframes);
	free(all.values);
	return 0;
}
