/*
 * Any bytes as a program file whose functions' code is compared with itself: nothing differs. Their
 * instructions follow one another, its digest is the same twice, and a run of it reaches no change.
 */
#include "code/build_changes.h"
#include "code/disassembler.h"
#include "code/image.h"
#include "code/inventory.h"
#include "code/listing.h"
#include "code/program_digest.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Symbols of a damaged file may all be as long as it is. */
#define NAMES_MAX 16

static void
compare(struct code_inventory *before, struct code_inventory *after)
{
	for (size_t i = 1; i < before->names.nentries && i <= NAMES_MAX; i++) {
		const char *name = strtab_str(&before->names, (str_id)i);
		enum code_change change = code_compare(before, after, name);

		if (change != CODE_CHANGE_NONE && change != CODE_CHANGE_UNKNOWN)
			abort();
	}
}

static void
list(const struct code_image *image)
{
	struct disassembler *disassembler = disassembler_open(image->machine);
	struct code_listing listing = {0};

	for (size_t i = 0; disassembler && i < image->nnames && i < NAMES_MAX; i++)
		if (code_listing_add(&listing, image, disassembler, image->names[i].offset) &&
			!code_listing_find(&listing, image->names[i].offset))
			abort();
	for (size_t i = 1; i < listing.count; i++)
		if (listing.instructions[i].offset < listing.instructions[i - 1].offset)
			abort();
	code_listing_release(&listing);
	disassembler_close(disassembler);
}

static void
digest(const char *path)
{
	static const char *const folders[] = {"/build/program", "/b", NULL};
	struct err ignored = {0};
	char one[SHA256_TEXT_SIZE] = "";
	char other[SHA256_TEXT_SIZE] = "";
	const int first = program_digest(path, folders, one, &ignored);

	if (program_digest(path, folders, other, &ignored) != first || strcmp(one, other) != 0)
		abort();
}

static void
compare_builds(const char *path)
{
	const struct build_program program = {path, "/b"};
	struct err ignored = {0};
	struct build_changes *changes = build_changes_open(&program, &program, NULL, &ignored);
	size_t nobjects = 0;
	size_t count = 0;

	if (!changes)
		return;
	build_changes_functions(changes, &count);
	bool *within = calloc(count + 1, sizeof(*within));

	if (!within || build_changes_count(changes, &nobjects) != 0 || nobjects != 0)
		abort();
	memset(within, true, count * sizeof(*within));
	const struct build_reach reach = build_changes_reach(
		changes, &(struct build_use){.within = within, .before = within});

	if (reach.kind == REACH_CODE || reach.kind == REACH_DATA || reach.kind == REACH_START)
		abort();
	free(within);
	build_changes_close(changes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_inventory before;
	struct code_inventory after;
	struct err ignored = {0};
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (code_inventory_open(&before, path, NULL, &ignored) == 0) {
		list(&before.image);
		if (code_inventory_open(&after, path, NULL, &ignored) == 0) {
			compare(&before, &after);
			code_inventory_close(&after);
		}
		code_inventory_close(&before);
	}
	digest(path);
	compare_builds(path);
	close(fd);
	return 0;
}
