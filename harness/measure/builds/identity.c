/*
 * Whether two builds are the same program: by hashes of the files that they execute and of the data
 * that they may read.
 */
#include "builds/identity.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/inputs.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "code/program_digest.h"
#include "elf/elf_image.h"
#include "process/process.h"
#include "profile/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPTS_MAX 20000

static bool
ends_with_any(const char *path, const char *const *endings)
{
	const char *name = file_basename(path);
	size_t name_len = strlen(name);

	for (; *endings; endings++) {
		size_t len = strlen(*endings);

		if (name_len > len && strcmp(name + name_len - len, *endings) == 0)
			return true;
	}
	return false;
}

struct scripts {
	const char *const *endings;
	size_t count;
	struct buf all; /* a line each: hash and path */
};

static void
add_script(struct file_walk *walk, const char *path, void *context)
{
	struct scripts *scripts = context;
	struct err ignored = {0};
	char hash[SHA256_TEXT_SIZE];

	if (!ends_with_any(path, scripts->endings))
		return;
	if (++scripts->count > SCRIPTS_MAX || sha256_file(path, hash, &ignored) < 0)
		walk->broken = true;
	else
		buf_printf(&scripts->all, "%s %s\n", hash, path + walk->root_len);
}

/*
 * One hash of the names and contents of the files below `root` with these endings. Hidden folders
 * are left out. False if there are too many, or one cannot be read.
 */
static bool
hash_scripts(const char *root, const char *const *endings, char hash[SHA256_TEXT_SIZE])
{
	struct scripts scripts = {.endings = endings};
	bool whole = file_walk(root, false, add_script, &scripts);

	sha256_text(buf_text(&scripts.all), scripts.all.len, hash);
	buf_release(&scripts.all);
	return whole;
}

/*
 * Whether it is a program or a shared library: one that can be loaded, not an object to be linked.
 */
static bool
is_loadable(const char *path, char hash[SHA256_TEXT_SIZE])
{
	struct elf_image image;
	GElf_Ehdr header;
	bool is = false;

	if (!elf_image_open(&image, path))
		return false;
	if (gelf_getehdr(image.elf, &header) &&
		(header.e_type == ET_EXEC || header.e_type == ET_DYN))
		is = elf_loaded_hash(&image, hash);
	elf_image_close(&image);
	return is;
}

/* A program or library of one folder against that of the other; a missing program is none there. */
static void
compare_program(struct file_walk *walk, const char *path, void *context)
{
	const char *other = context;
	char hashes[2][SHA256_TEXT_SIZE];

	if (!is_loadable(path, hashes[0]))
		return;
	char *counterpart = mem_printf("%s%s", other, path + walk->root_len);

	if (!is_loadable(counterpart, hashes[1]))
		walk->broken = strstr(file_basename(path), ".so") != NULL;
	else if (strcmp(hashes[0], hashes[1]) != 0)
		walk->broken = true;
	free(counterpart);
}

/*
 * Whether the programs and shared libraries below `one` that are also below `other` are the same in
 * their loaded parts, and no shared library is missing there, since it may be one that is loaded if
 * present. False also where that is not known.
 */
static bool
folders_agree(const char *one, const char *other)
{
	return file_walk(one, false, compare_program, (void *)other);
}

/* One line of profile->files. */
struct line {
	const char *name;
	char hash[SHA256_TEXT_SIZE];
	bool sampled;     /* known from its samples only */
	const char *path; /* NULL: no file, or not looked at */
};

struct lines {
	const struct build_side *side; /* NULL: here */
	char *root;                    /* names below it are relative to it */
	struct line *lines;
	size_t count;
	size_t capacity;
	struct arena arena;
};

static void
lines_init(struct lines *lines, const struct build_side *side)
{
	*lines = (struct lines){.side = side, .root = realpath(".", NULL)};
}

static void
lines_release(struct lines *lines)
{
	arena_release(&lines->arena);
	free(lines->lines);
	free(lines->root);
}

/* A file's name that is the same in every build: relative, unless it is the system's. */
static const char *
name_of(struct lines *lines, const char *path)
{
	const struct path_map *back = lines->side ? lines->side->back : NULL;
	const char *here = back ? path_map_find(back, path, &lines->arena) : NULL;
	const char *name = file_path_below(here ? here : path, lines->root);
	char *kept = arena_strdup(&lines->arena, name ? name : here ? here : path);

	/* A name must fit in a line. */
	for (char *at = kept; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '?';
	return kept;
}

/*
 * Hashes the contents of a file, of a program only the loaded parts; for programs built by others
 * the build-id is enough.
 */
static int
hash_contents(const char *path, bool ours, char hash[SHA256_TEXT_SIZE], struct err *err)
{
	struct elf_image image;
	bool known = false;

	if (elf_image_open(&image, path)) {
		known = !ours && image.build_id.len > 0;
		if (known)
			sha256_text(image.build_id.bytes, image.build_id.len, hash);
		else
			known = elf_loaded_hash(&image, hash);
		elf_image_close(&image);
	}
	return known ? 0 : sha256_file(path, hash, err);
}

static struct line *
add_line(struct lines *lines, const char *name, bool sampled)
{
	lines->lines =
		mem_grow(lines->lines, &lines->capacity, lines->count + 1, sizeof(*lines->lines));
	lines->lines[lines->count] =
		(struct line){.name = name, .hash = PROFILE_FILE_UNKNOWN, .sampled = sampled};
	return &lines->lines[lines->count++];
}

/* Adds the line of a file, hashed if it is new. A file that cannot be read is unknown. */
static struct line *
add_file(struct lines *lines, const char *path, bool ours, bool sampled, struct err *err)
{
	const char *name = name_of(lines, path);

	for (size_t i = 0; i < lines->count; i++) {
		if (strcmp(lines->lines[i].name, name) == 0)
			return &lines->lines[i];
	}
	struct line *line = add_line(lines, name, sampled);

	if (hash_contents(path, ours || name[0] != '/', line->hash, err) < 0)
		memcpy(line->hash, PROFILE_FILE_UNKNOWN, sizeof(PROFILE_FILE_UNKNOWN));
	line->path = arena_strdup(&lines->arena, path);
	return line;
}

/*
 * "	libz.so.1 => /lib/libz.so.1 (0x...)", also without the arrow: the file, free() it. NULL
 * where none is named.
 */
static char *
library_file(const struct workload *workload, char *line)
{
	char *arrow = strstr(line, "=> ");
	char *path = arrow ? arrow + strlen("=> ") : line + strspn(line, "\t ");
	char *behind = strstr(path, " (0x");

	if (!behind || !memchr(path, '/', (size_t)(behind - path)))
		return NULL;
	*behind = '\0';
	char *found = program_path(workload, path);
	char *real = realpath(found, NULL);

	free(found);
	return real;
}

static void
add_listed(struct lines *lines, const struct workload *workload, char *list)
{
	struct err ignored = {0};
	char *rest = NULL;

	for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *file = library_file(workload, line);

		if (file)
			add_file(lines, file, false, false, &ignored);
		free(file);
	}
}

/* The libraries of a program, as the dynamic linker itself finds them; nothing of it runs. */
static void
add_libraries(struct lines *lines, const struct workload *workload, const char *program)
{
	struct elf_image image;
	struct tool_output output;
	struct err ignored = {0};
	char *loader = NULL;

	if (elf_image_open(&image, program)) {
		loader = elf_interpreter(&image);
		elf_image_close(&image);
	}
	if (!loader)
		return;
	const char *const argv[] = {loader, "--list", program, NULL};

	if (tool_run(&output, argv, workload->env, workload->cwd, &ignored) == 0 &&
		output.status == 0 && output.out.len > 0)
		add_listed(lines, workload, output.out.data);
	else
		add_line(lines,
			arena_printf(&lines->arena, "libraries of %s", name_of(lines, program)),
			false);
	tool_output_release(&output);
	free(loader);
}

/* Adds one line for the files below the root that an interpreter may load. */
static void
add_scripts(struct lines *lines, const char *word, const char *program)
{
	const char *root = lines->side && lines->side->root ? lines->side->root : ".";
	const char *const *endings = program_script_endings(word, program);
	struct buf name = {0};

	if (!endings)
		return;
	buf_puts(&name, "all");
	for (const char *const *ending = endings; *ending; ending++)
		buf_printf(&name, " *%s", *ending);
	struct line *line = add_line(lines, arena_strdup(&lines->arena, buf_text(&name)), false);

	if (!hash_scripts(root, endings, line->hash))
		memcpy(line->hash, PROFILE_FILE_UNKNOWN, sizeof(PROFILE_FILE_UNKNOWN));
	buf_release(&name);
}

/* Adds one line for the files of `inputs`. */
static void
add_inputs(struct lines *lines, const struct workload *workload)
{
	if (!workload->inputs)
		return;
	struct line *line = add_line(lines, "inputs", false);

	if (!inputs_hash(workload, line->hash))
		memcpy(line->hash, PROFILE_FILE_UNKNOWN, sizeof(PROFILE_FILE_UNKNOWN));
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

static void
write_lines(struct lines *lines, struct profile *profile)
{
	struct buf text = {0};

	if (lines->count > 0)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->lines[i];

		buf_printf(&text, "%s %c%s\n", line->hash, line->sampled ? '*' : ' ', line->name);
	}
	profile->files = strtab_intern(&profile->strings, buf_text(&text), text.len);
	buf_release(&text);
}

/*
 * Sets profile->code: of the programs and libraries that a build of ours makes, what they execute.
 * One that cannot be read has no line, so that it is never taken for the same.
 */
static void
write_code(const struct lines *lines, const struct build_side *side, struct profile *profile)
{
	char *root = side && side->root ? realpath(side->root, NULL) : NULL;
	const char *const folders[] = {root ? root : lines->root, root ? lines->root : NULL, NULL};
	struct buf text = {0};

	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->lines[i];
		struct err ignored = {0};
		char digest[SHA256_TEXT_SIZE];

		if (line->path && line->name[0] != '/' &&
			program_digest(line->path, folders, digest, &ignored) == 0)
			buf_printf(&text, "%s  %s\n", digest, line->name);
	}
	profile->code = strtab_intern(&profile->strings, buf_text(&text), text.len);
	buf_release(&text);
	free(root);
}

int
identity_of_command(const struct workload *workload, const struct build_side *side,
	struct profile *profile, char program_hash[SHA256_TEXT_SIZE], struct err *err)
{
	struct buf named = {0};
	struct lines lines;
	int result = 0;

	lines_init(&lines, side);
	for (size_t i = 0; workload->run[i] && result == 0; i++) {
		char *path = program_file(workload, i);
		char *real = path ? realpath(path, NULL) : NULL;

		if (real) {
			const char *hash = add_file(&lines, real, true, false, err)->hash;

			buf_printf(&named, "%s\n", hash);
			if (strcmp(hash, PROFILE_FILE_UNKNOWN) == 0)
				result = -1;
			else
				add_libraries(&lines, workload, real);
		}
		if (real && i == 0)
			add_scripts(&lines, workload->run[0], real);
		free(real);
		free(path);
	}
	add_inputs(&lines, workload);
	sha256_text(buf_text(&named), named.len, program_hash);
	write_lines(&lines, profile);
	write_code(&lines, side, profile);
	buf_release(&named);
	lines_release(&lines);
	return result;
}

bool
identity_take(const struct workload *workload, const struct workload *other,
	const struct profile *known, struct profile *profile)
{
	/* The word of the interpreter says which scripts it may load. */
	bool same = strcmp(workload->run[0], other->run[0]) == 0;
	size_t i = 0;

	for (; same && workload->run[i] && other->run[i]; i++) {
		char *one = program_file(workload, i);
		char *two = program_file(other, i);

		same = one && two ? strcmp(one, two) == 0 : !one && !two;
		free(one);
		free(two);
	}
	if (!same || workload->run[i] || other->run[i])
		return false;
	profile->files =
		strtab_intern_str(&profile->strings, strtab_str(&known->strings, known->files));
	profile->code =
		strtab_intern_str(&profile->strings, strtab_str(&known->strings, known->code));
	return true;
}

static void
read_lines(struct lines *lines, const struct profile *profile)
{
	const char *at = strtab_str(&profile->strings, profile->files);
	struct profile_file file;

	while (profile_files_next(&at, &file)) {
		struct line *line = add_line(
			lines, arena_dup(&lines->arena, file.name, file.name_len), file.sampled);

		snprintf(line->hash, sizeof(line->hash), "%.*s", (int)file.hash_len, file.hash);
	}
}

void
identity_add_sampled(const struct build_side *side, struct profile *profile)
{
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));
	struct err ignored = {0};
	struct lines lines;

	lines_init(&lines, side);
	read_lines(&lines, profile);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];
		const char *path = strtab_str(&profile->strings, frame->module);

		if (frame->kind == FRAME_KERNEL || path[0] != '/' || seen[frame->module])
			continue;
		seen[frame->module] = true;
		add_file(&lines, path, false, true, &ignored);
	}
	write_lines(&lines, profile);
	lines_release(&lines);
	free(seen);
}

/* Whether a workload runs a binary that its build makes or the map of `base`, if any, names. */
static bool
is_built(const struct workload *workload, const struct build_side *base)
{
	struct lines lines;
	struct elf_image image;
	char *path = program_file(workload, 0);
	char *real = path ? realpath(path, NULL) : NULL;

	lines_init(&lines, NULL);
	bool ours =
		real && (file_path_below(real, lines.root) ||
				(base && base->map &&
					path_map_find(base->map, workload->run[0], &lines.arena)));
	bool is = ours && elf_image_open(&image, real);

	if (is)
		elf_image_close(&image);
	lines_release(&lines);
	free(real);
	free(path);
	return is;
}

static bool
has_unknown(const char *files)
{
	struct profile_file file;
	bool unknown = false;

	while (!unknown && profile_files_next(&files, &file))
		unknown = !profile_file_is_known(&file);
	return unknown;
}

/* Whether both builds execute the files of the other: of the same contents, or built again. */
static bool
are_same_files(const struct profile *before, const struct profile *after)
{
	const char *code_before = strtab_str(&before->strings, before->code);
	const char *code_after = strtab_str(&after->strings, after->code);
	const char *at_before = strtab_str(&before->strings, before->files);
	const char *at_after = strtab_str(&after->strings, after->files);
	struct profile_file one;
	struct profile_file other;
	size_t count = 0;

	/* The lines are in the order of their names. */
	for (; profile_files_next(&at_after, &other); count++) {
		if (!profile_files_next(&at_before, &one) || one.name_len != other.name_len ||
			memcmp(one.name, other.name, one.name_len) != 0 ||
			!profile_file_is_known(&one) || !profile_file_is_known(&other) ||
			(!profile_file_is_same(&one, &other) &&
				!profile_file_is_built_again(code_before, code_after, &one)))
			return false;
	}
	return count > 0 && !profile_files_next(&at_before, &one);
}

enum identity
identity_of_builds(const struct workload *workload, const struct build_side *base,
	const struct profile *before, const struct profile *after, char **changed_data)
{
	*changed_data = NULL;
	if (!are_same_files(before, after))
		return IDENTITY_OTHER;
	if (base->worktree && identity_is_checked_out(base->commit))
		return IDENTITY_SAME;
	if (!is_built(workload, base))
		return IDENTITY_OTHER;
	if ((base->worktree && identity_find_changed_data(base->commit, changed_data) != 0) ||
		(base->root && !folders_agree(".", base->root)))
		return IDENTITY_BY_RUNS;
	return IDENTITY_SAME;
}

/*
 * Whether every file of `files` is one of `of`, with the same contents or built again: `code` and
 * `code_of` are what those of either side execute.
 */
static bool
are_among(const char *files, const char *of, const char *code, const char *code_of)
{
	struct profile_file file;
	struct profile_file found;

	while (profile_files_next(&files, &file)) {
		if (!profile_files_find(of, &file, &found) ||
			(!profile_file_is_same(&file, &found) &&
				!profile_file_is_built_again(code, code_of, &file)))
			return false;
	}
	return true;
}

/* Adds the files of `before` that are not known to run until they do, as they are now. */
static void
add_sampled_before(struct lines *lines, const struct profile *before)
{
	const char *files = strtab_str(&before->strings, before->files);
	struct err ignored = {0};
	struct profile_file file;

	while (profile_files_next(&files, &file)) {
		char *name = mem_dup(file.name, file.name_len);
		char *real = file.sampled ? realpath(name, NULL) : NULL;

		if (real)
			add_file(lines, real, false, true, &ignored);
		free(real);
		free(name);
	}
}

bool
identity_is_unchanged(const struct workload *workload, const struct profile *before,
	const char *commit, const char *data_digest, const struct profile *now)
{
	const char *files = strtab_str(&now->strings, now->files);
	const char *files_before = strtab_str(&before->strings, before->files);
	const char *code = strtab_str(&now->strings, now->code);
	const char *code_before = strtab_str(&before->strings, before->code);
	struct profile all;
	struct lines lines;

	if (files[0] == '\0' || files_before[0] == '\0' || has_unknown(files) ||
		has_unknown(files_before) || !are_among(files, files_before, code, code_before))
		return false;
	profile_init(&all);
	lines_init(&lines, NULL);
	read_lines(&lines, now);
	add_sampled_before(&lines, before);
	write_lines(&lines, &all);
	const bool same =
		are_among(files_before, strtab_str(&all.strings, all.files), code_before, code);

	lines_release(&lines);
	profile_release(&all);
	return same && (is_built(workload, NULL) ? identity_has_data_of(commit, data_digest)
						 : identity_is_checked_out(commit));
}
