#include "gate/module_pairs.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "code/code_list.h"
#include "code/inventory.h"
#include "dwarf/inlines.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"
#include "gate/stored_code.h"
#include "measurement/measurement.h"
#include "profile/canonical.h"
#include "profile/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct module_pairs *
module_pairs_new(const struct measurement *measurement, const struct build_side *base)
{
	struct module_pairs *pairs = mem_zalloc(1, sizeof(*pairs));

	*pairs = (struct module_pairs){.sides = measurement->sides, .base = base};
	return pairs;
}

struct module_pairs *
module_pairs_stored(
	const struct measurement *measurement, const struct baseline *before, const char *folder)
{
	struct module_pairs *pairs = mem_zalloc(1, sizeof(*pairs));

	*pairs = (struct module_pairs){.sides = measurement->sides, .before = before};
	if (stored_code_read(folder, &pairs->lists))
		return pairs;
	module_pairs_free(pairs);
	return NULL;
}

static void
pair_free(struct module_pair *pair)
{
	inlines_close(pair->inlines);
	for (int side = 0; side < MEASURE_SIDES; side++) {
		code_inventory_close(&pair->code[side]);
		free(pair->paths[side]);
	}
	free(pair);
}

void
module_pairs_free(struct module_pairs *pairs)
{
	if (!pairs)
		return;
	for (size_t i = 0; i < pairs->npairs; i++)
		pair_free(pairs->pairs[i]);
	free(pairs->pairs);
	code_lists_release(&pairs->lists);
	arena_release(&pairs->arena);
	free(pairs);
}

/* The program files in a side's profile, each once; NULL-ended; free() the array, not the names. */
static const char **
list_modules(const struct module_pairs *pairs, enum measure_side side)
{
	const struct profile *profile = &pairs->sides[side].profile;
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));
	const char **list = mem_zalloc(profile->frames.nframes + 1, sizeof(*list));
	size_t count = 0;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];

		if (frame->module == 0 || frame->kind == FRAME_KERNEL || seen[frame->module])
			continue;
		seen[frame->module] = true;
		list[count++] = strtab_str(&profile->strings, frame->module);
	}
	free(seen);
	return list;
}

static bool
is_among(const char *path, const char *const *paths)
{
	for (; *paths; paths++) {
		if (strcmp(*paths, path) == 0)
			return true;
	}
	return false;
}

/* The path without links, in `arena`; NULL: there is no such file. */
static const char *
real_path(const char *path, struct arena *arena)
{
	char *real = realpath(path, NULL);
	const char *kept = real ? arena_strdup(arena, real) : NULL;

	free(real);
	return kept;
}

/* The path that a word of a workload's command names; in `arena`. */
static const char *
word_path(const struct workload *workload, size_t word, struct arena *arena)
{
	char *path = program_path(workload, workload->run[word]);
	const char *real = real_path(path, arena);

	free(path);
	return real;
}

/* The file that the other build's command names at the position where this build's names `path`. */
static const char *
find_word(struct module_pairs *pairs, enum measure_side side, const char *path)
{
	const struct workload *own = &pairs->sides[side].workload;
	const struct workload *other = &pairs->sides[!side].workload;

	for (size_t i = 0; own->run[i] && other->run[i]; i++) {
		const char *word = word_path(own, i, &pairs->arena);

		if (word && strcmp(word, path) == 0)
			return word_path(other, i, &pairs->arena);
	}
	return NULL;
}

/* The path in the other build by the map of the two builds; NULL: the map has none. */
static const char *
find_mapped(struct module_pairs *pairs, enum measure_side side, const char *path)
{
	const struct path_map *map =
		side == MEASURE_CANDIDATE ? pairs->base->map : pairs->base->back;
	const char *found = map ? path_map_find(map, path, &pairs->arena) : NULL;

	return found ? real_path(found, &pairs->arena) : NULL;
}

/* The only file of that name in the other build, if it is the only one in this build, too. */
static const char *
find_only_name(const char *path, const char *const *own, const char *const *others)
{
	const char *name = file_basename(path);
	const char *found = NULL;

	for (; *own; own++) {
		if (strcmp(file_basename(*own), name) == 0 && strcmp(*own, path) != 0)
			return NULL;
	}
	for (; *others; others++) {
		if (strcmp(file_basename(*others), name) != 0)
			continue;
		if (found)
			return NULL;
		found = *others;
	}
	return found;
}

/*
 * Whether it is a file of the system, which builds do not make: both sides have it, sampled or not.
 */
static bool
is_system_file(const char *path)
{
	static const char *const folders[] = {"/usr/", "/lib/", "/lib64/"};
	bool found = false;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
	return found && strncmp(path, "/usr/local/", strlen("/usr/local/")) != 0;
}

static const char *
find_other(struct module_pairs *pairs, enum measure_side side, const char *path,
	const char *const *own, const char *const *others)
{
	const char *mapped = find_mapped(pairs, side, path);

	if (!mapped)
		mapped = find_word(pairs, side, path);
	if (mapped && is_among(mapped, others))
		return mapped;
	if (is_among(path, others))
		return path;
	if (mapped)
		return mapped;
	mapped = find_only_name(path, own, others);
	return mapped || !is_system_file(path) ? mapped : path;
}

/* Whether the file is still as it was when the runs began. */
static bool
is_as_it_ran(const char *path, int64_t started)
{
	struct timespec written;

	return path[0] == '/' && file_written_at(path, &written) &&
	       (started == 0 || written.tv_sec <= started);
}

static bool
are_equal(const char *one, const char *other)
{
	struct file_view views[2] = {{.data = NULL}, {.data = NULL}};
	struct err ignored = {0};
	bool equal = false;

	if (file_view_open(&views[0], one, &ignored) < 0)
		return false;
	if (file_view_open(&views[1], other, &ignored) == 0) {
		equal = views[0].len == views[1].len &&
			memcmp(views[0].data, views[1].data, views[0].len) == 0;
		file_view_close(&views[1]);
	}
	file_view_close(&views[0]);
	return equal;
}

static struct module_pair *
put_pair(struct module_pairs *pairs, const char *const paths[MEASURE_SIDES])
{
	struct module_pair *pair = mem_zalloc(1, sizeof(*pair));

	for (int side = 0; side < MEASURE_SIDES; side++)
		pair->paths[side] = mem_strdup(paths[side]);
	pairs->pairs = mem_grow(
		pairs->pairs, &pairs->capacity, pairs->npairs + 1, sizeof(struct module_pair *));
	pairs->pairs[pairs->npairs++] = pair;
	return pair;
}

static struct module_pair *
add_pair(struct module_pairs *pairs, const char *const paths[MEASURE_SIDES])
{
	struct module_pair *pair = put_pair(pairs, paths);

	pair->known = true;
	for (int side = 0; side < MEASURE_SIDES; side++)
		pair->known = pair->known &&
			      is_as_it_ran(paths[side], pairs->sides[side].profile.started);
	pair->same =
		pair->known && (strcmp(paths[0], paths[1]) == 0 || are_equal(paths[0], paths[1]));
	return pair;
}

/*
 * Whether the file that both sides ran has the same contents, or was built again without a change
 * of its code.
 */
static bool
ran_same(const struct profile *before, const struct profile *after, const char *name)
{
	const struct profile_file wanted = {.name = name, .name_len = strlen(name)};
	struct profile_file one;
	struct profile_file other;

	return (profile_files_find(strtab_str(&before->strings, before->files), &wanted, &one) &&
		       profile_files_find(
			       strtab_str(&after->strings, after->files), &wanted, &other) &&
		       profile_file_is_same(&one, &other)) ||
	       profile_file_is_built_again(strtab_str(&before->strings, before->code),
		       strtab_str(&after->strings, after->code), &wanted);
}

/* The pair of a candidate's file in a stored gate; NULL: nothing is stored of that file. */
static struct module_pair *
find_stored(struct module_pairs *pairs, const char *path)
{
	const struct profile *after = &pairs->sides[MEASURE_CANDIDATE].profile;
	const struct profile *before = &pairs->before->profile;

	for (size_t i = 0; i < pairs->npairs; i++) {
		if (strcmp(pairs->pairs[i]->paths[MEASURE_CANDIDATE], path) == 0)
			return pairs->pairs[i];
	}
	const char *name = file_path_from_here(path);
	const struct code_list *list = code_lists_find(&pairs->lists, name);
	const bool same = ran_same(before, after, name);
	struct module_pair *pair = NULL;

	if (list || same) {
		const char *const paths[MEASURE_SIDES] = {path, name};

		pair = put_pair(pairs, paths);
		pair->same = same;
		pair->stored = list;
		pair->known = list && is_as_it_ran(path, after->started);
		pair->proven = list && stored_code_is_of(&pairs->lists, list, before,
					       pairs->before->info.program_hash);
	}
	return pair;
}

/*
 * The pair that `path`, a file of `side`, belongs to; NULL: none. Its partner is the first of: the
 * file that the map of the two builds names, or else the one that the command names at the same
 * position, if the other build ran it; the same file, if the other build ran it; that mapped file,
 * although it has no sample; the only other file of that name; the same file, if it is the
 * system's. In a stored gate it is the file with the same name. `own` are the files of this side,
 * `others` those of the other side. The candidate's files are to be looked up first.
 */
static struct module_pair *
find_pair(struct module_pairs *pairs, enum measure_side side, const char *path,
	const char *const *own, const char *const *others)
{
	const char *paths[MEASURE_SIDES];

	if (pairs->before)
		return side == MEASURE_CANDIDATE ? find_stored(pairs, path) : NULL;
	/* A map need not have an inverse. */
	for (size_t i = 0; i < pairs->npairs && side == MEASURE_BASE; i++) {
		if (strcmp(pairs->pairs[i]->paths[MEASURE_BASE], path) == 0)
			return pairs->pairs[i];
	}
	const char *other = find_other(pairs, side, path, own, others);

	if (!other)
		return NULL;
	paths[side] = path;
	paths[!side] = other;
	for (size_t i = 0; i < pairs->npairs; i++) {
		if (strcmp(pairs->pairs[i]->paths[0], paths[0]) == 0 &&
			strcmp(pairs->pairs[i]->paths[1], paths[1]) == 0)
			return pairs->pairs[i];
	}
	return add_pair(pairs, paths);
}

bool
module_pair_open(struct module_pair *pair)
{
	struct err err = {0};

	if (pair->opened || !pair->known)
		return pair->known;
	pair->opened = true;
	for (int side = 0; side < MEASURE_SIDES && pair->known; side++) {
		if (side == MEASURE_BASE && pair->stored)
			break;
		if (code_inventory_open(
			    &pair->code[side], pair->paths[side], canonical_name, &err) < 0) {
			log_debug("no machine code of %s: %s", pair->paths[side], err.text);
			pair->known = false;
		}
	}
	/* Code that was stored by its meaning cannot be compared with bytes. */
	if (pair->known && pair->stored)
		pair->known = code_inventory_reads(&pair->code[MEASURE_CANDIDATE]);
	return pair->known;
}

enum code_change
module_pair_change(struct module_pair *pair, const char *name)
{
	if (!pair->stored)
		return code_compare(
			&pair->code[MEASURE_BASE], &pair->code[MEASURE_CANDIDATE], name);
	const enum code_change change = code_change_of(code_list_known(pair->stored, name),
		code_inventory_known(&pair->code[MEASURE_CANDIDATE], name));

	/* Another compiler may have built the program that ran. */
	return change == CODE_CHANGE_NONE && !pair->proven ? CODE_CHANGE_UNKNOWN : change;
}

/*
 * Opens the inlined functions of a file; NULL: neither the file nor a separate debug file has any
 * debug information.
 */
static struct inlines *
open_inlines(const char *path)
{
	struct elf_image image;
	struct elf_image debug;

	if (!elf_image_open(&image, path))
		return NULL;
	if (debug_file_open(&debug, &image, "", path)) {
		elf_image_close(&image);
		image = debug;
	}
	elf_packed_expand(&image);
	return inlines_open(&image, path, "");
}

size_t
module_pair_inlined(
	struct module_pair *pair, uint64_t address, struct inline_frame *frames, size_t max)
{
	if (!pair->inlines_tried)
		pair->inlines = open_inlines(pair->paths[MEASURE_CANDIDATE]);
	pair->inlines_tried = true;
	return pair->inlines ? inlines_within(pair->inlines, address, frames, max) : 0;
}

struct module_pair **
module_pairs_of_side(struct module_pairs *pairs, enum measure_side side)
{
	const struct strtab *strings = &pairs->sides[side].profile.strings;
	const char **own = list_modules(pairs, side);
	const char **others = list_modules(pairs, !side);
	struct module_pair **found =
		mem_zalloc(strings->nentries + 1, sizeof(struct module_pair *));

	for (const char **path = own; *path; path++)
		found[strtab_find(strings, *path, strlen(*path))] =
			find_pair(pairs, side, *path, own, others);
	free(own);
	free(others);
	return found;
}
