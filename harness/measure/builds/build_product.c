/*
 * Whether a build made a file outside of both builds: by the source files that it names, its place,
 * its text, the time when it was changed, and the files of the builds (installed_files.c).
 */
#include "builds/build_product.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "process/file_watch.h"

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Whether a program or library outside of both builds was compiled from their sources: by the names
 * of source files in its symbol table (STT_FILE), and the functions that it defines. A program
 * without a symbol table, or of another language than C and its like, has none.
 */

/* Larger sources are data. */
#define SOURCE_BYTES_MAX ((size_t)4 * 1024 * 1024)
/* For a program that names more only these are looked for. */
#define NAMED_MAX 1000
#define FUNCTION_NAME_MIN 3

/* The state of one program. */
struct product {
	const struct elf_image *image;
	size_t named;   /* source files that it names */
	size_t present; /* those that a build has */
	bool defines;   /* a function that is in one of these */
};

static bool
is_source(const char *name)
{
	static const char *const endings[] = {
		".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".f", ".f90", ".d"};
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strcmp(ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static void
add_source(struct file_walk *walk, const char *path, void *context)
{
	struct product_sources *sources = context;

	(void)walk;
	if (!is_source(file_basename(path)))
		return;
	sources->paths = mem_grow(
		sources->paths, &sources->capacity, sources->count + 1, sizeof(*sources->paths));
	sources->paths[sources->count++] = arena_strdup(&sources->arena, path);
}

static void
find_sources(struct product_sources *sources, const struct tree_text *texts)
{
	if (sources->known)
		return;
	sources->known = true;
	file_walk(tree_text_here(texts), false, add_source, sources);
	file_walk(tree_text_there(texts), false, add_source, sources);
}

static void
product_sources_release(struct product_sources *sources)
{
	free(sources->paths);
	arena_release(&sources->arena);
	*sources = (struct product_sources){0};
}

/* Each program has those of the C library and the compiler. */
static bool
is_of_the_compiler(const char *name)
{
	static const char *const names[] = {
		"crtstuff.c", "init.c", "abi-note.c", "static-reloc.c", "elf-init.c", "libgcc2.c"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * The name of a function as its source has it: in C++ the last of the names that its own is
 * composed of ("_ZN3mix4workEv": "work"). False where it is not the program's own to choose.
 */
static bool
plain_name(const char *symbol, char *name, size_t size)
{
	static const char *const started[] = {
		"main", "frame_dummy", "register_tm_clones", "deregister_tm_clones"};
	const char *from = symbol;
	size_t len = strcspn(symbol, ".@");

	for (size_t i = 0; i < sizeof(started) / sizeof(started[0]); i++) {
		if (strcmp(symbol, started[i]) == 0)
			return false;
	}
	if (strncmp(symbol, "_Z", 2) == 0) {
		const char *at = symbol + 2 + strspn(symbol + 2, "NKVRO");

		for (len = 0; isdigit((unsigned char)*at); at = from + len) {
			char *end;
			const unsigned long bytes = strtoul(at, &end, 10);

			if (bytes == 0 || bytes > strlen(end))
				return false;
			from = end;
			len = bytes;
		}
	} else if (symbol[0] == '_')
		return false;
	if (len < FUNCTION_NAME_MIN || len >= size)
		return false;
	memcpy(name, from, len);
	name[len] = '\0';
	return true;
}

static bool
is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Whether a source has the name as a word that "(" follows. */
static bool
has_function(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len) {
		const char *behind = at + len;

		if ((at == text || !is_word_byte(at[-1])) && !is_word_byte(*behind) &&
			behind[strspn(behind, " \t\n")] == '(')
			return true;
	}
	return false;
}

static bool
defines_function_of(const struct elf_image *image, const char *path)
{
	struct elf_symbols symbols;
	struct buf text = {0};
	struct err ignored = {0};
	char name[256];
	GElf_Sym sym;
	bool found = false;

	if (file_read(path, &text, SOURCE_BYTES_MAX, &ignored) == 0) {
		elf_symbols_begin(&symbols, image, SHT_SYMTAB);
		while (!found && elf_symbols_next(&symbols, &sym)) {
			const char *symbol =
				ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF
					? elf_symbols_name(&symbols, &sym)
					: NULL;

			found = symbol && plain_name(symbol, name, sizeof(name)) &&
				has_function(buf_text(&text), name);
		}
	}
	buf_release(&text);
	return found;
}

static void
note_named_source(struct product *product, const struct product_sources *sources, const char *name)
{
	bool present = false;

	for (size_t i = 0; i < sources->count && !(present && product->defines); i++) {
		if (strcmp(file_basename(sources->paths[i]), name) != 0)
			continue;
		present = true;
		product->defines =
			product->defines || defines_function_of(product->image, sources->paths[i]);
	}
	product->named++;
	product->present += present;
}

/*
 * Whether at least half of the sources that the file at `path` names are among those of the builds,
 * and one of these has a function that the file defines. Looks for the builds' sources if need be.
 * False without `texts`, which has the folders of both builds.
 */
static bool
product_source_is(struct product_sources *sources, const struct tree_text *texts, const char *path)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;

	if (!texts || !elf_image_open(&image, path))
		return false;
	struct product product = {.image = &image};

	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	while (product.named < NAMED_MAX && elf_symbols_next(&symbols, &sym)) {
		const char *name = ELF64_ST_TYPE(sym.st_info) == STT_FILE
					   ? elf_symbols_name(&symbols, &sym)
					   : NULL;

		if (!name || !is_source(name) || is_of_the_compiler(file_basename(name)))
			continue;
		find_sources(sources, texts);
		note_named_source(&product, sources, file_basename(name));
	}
	elf_image_close(&image);
	return product.defines && 2 * product.present >= product.named;
}

/* Whether the text is in the file, as a path that ends there or goes on with its own part. */
static bool
has_path_text(const struct file_view *view, const char *path)
{
	static const char within[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789_-.";
	const size_t len = strlen(path);
	const char *end = view->data + view->len;
	const char *at = view->data;

	while ((at = memmem(at, (size_t)(end - at), path, len))) {
		at += len;
		if (at == end || *at == '\0' || !strchr(within, *at))
			return true;
	}
	return false;
}

bool
file_origin_mentions(const char *path, const char *text)
{
	struct file_view view;
	struct err ignored = {0};
	struct stat status;

	if (stat(path, &status) < 0 || status.st_size <= 0 ||
		(size_t)status.st_size > SEARCHED_BYTES_MAX ||
		file_view_open(&view, path, &ignored) < 0)
		return false;
	const bool found = has_path_text(&view, text);

	file_view_close(&view);
	return found;
}

#define CODE (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)
/* Folders above a file that are looked at for a build system's files. */
#define LEVELS_MAX 4
/* So many letters and digits in a row are a hash. */
#define HASH_NAME_MIN 16

static struct timespec
now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time;
}

/*
 * The kernel takes files' times from the coarse clock, or since Linux 6.13 from the exact one,
 * which is ahead of it by up to a tick, where the time before was looked at.
 */
void
build_times_begin(struct build_times *times, enum build_step step)
{
	times->times =
		mem_grow(times->times, &times->capacity, times->count + 1, sizeof(*times->times));
	times->times[times->count++] =
		(struct build_time){.from = now(CLOCK_REALTIME_COARSE), .step = step};
}

void
build_times_add(struct build_times *times, const struct timespec *from, const struct timespec *to,
	enum build_step step)
{
	build_times_begin(times, step);
	times->times[times->count - 1].from = *from;
	times->times[times->count - 1].to = *to;
}

void
build_times_end(struct build_times *times)
{
	times->times[times->count - 1].to = now(CLOCK_REALTIME);
}

/* Whether the file is in a hidden folder, such as "~/.cargo/bin/x". */
static bool
is_hidden(const char *path)
{
	return strstr(path, "/.") != NULL;
}

bool
build_product_is_system(const char *path)
{
	static const char *const folders[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
		"/libx32", "/opt", "/nix", "/gnu", "/snap", "/etc", "/var/lib", "/proc", "/sys",
		"/dev/null"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (path_is_below(path, folders[i]))
			return true;
	}
	return is_hidden(path);
}

static bool
is_temporary(const char *path)
{
	const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", "/run", getenv("TMPDIR")};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (folders[i] && folders[i][0] == '/' && path_is_below(path, folders[i]))
			/* Code that programs compile as they run is kept by its contents. */
			return strcasestr(path, "cache") == NULL;
	}
	return false;
}

/* Whether the file was made or changed while a step of this kind ran. */
static bool
was_made(const struct build_times *times, const struct timespec *written, enum build_step step)
{
	for (size_t i = 0; i < times->count; i++) {
		const struct build_time *time = &times->times[i];

		if (time->step == step && !file_time_is_before(written, &time->from) &&
			!file_time_is_before(&time->to, written))
			return true;
	}
	return false;
}

/*
 * Whether a part of the path is a hash, as in caches of compiled code whose names tell the
 * contents: both sides may find the same there.
 */
static bool
is_named_by_hash(const char *path)
{
	for (const char *at = path; *at; at++) {
		const size_t len = strspn(at, "0123456789abcdefghijklmnopqrstuvwxyz");

		if (len >= HASH_NAME_MIN && strcspn(at, "0123456789") < len)
			return true;
		if (len > 0)
			at += len - 1;
	}
	return false;
}

bool
build_product_is_packaged(const char *path)
{
	return build_product_is_system(path) && !is_hidden(path) &&
	       !path_is_below(path, "/usr/local") && !path_is_below(path, "/opt");
}

/* Whether a package manager has changed what is installed since: it notes that behind the files. */
static bool
is_from_package(const char *path, const struct timespec *written)
{
	static const char *const notes[] = {"/var/lib/dpkg/info", "/var/lib/dpkg/status",
		"/var/lib/rpm", "/usr/lib/sysimage/rpm", "/lib/apk/db", "/var/lib/pacman/local"};
	struct stat note;

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (build_product_is_packaged(path) && stat(notes[i], &note) == 0 &&
			!file_time_is_before(&note.st_mtim, written))
			return true;
	}
	return false;
}

/* Whether programs load such a file as code, though they open it as any other file. */
static bool
is_script(const char *path)
{
	static const char *const endings[] = {".py", ".pyc", ".js", ".mjs", ".cjs", ".ts", ".pl",
		".pm", ".rb", ".php", ".lua", ".tcl", ".R", ".jl", ".sh", ".jar", ".class", ".war",
		".wasm", ".beam", ".dll", ".exe", ".el", ".scm"};
	const char *ending = strrchr(file_basename(path), '.');

	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strcmp(ending, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Whether a command has the path as a whole: "make O=/tmp/b/", but not "/tmp/b/c". */
static bool
has_path(const char *command, const char *path)
{
	const size_t len = strlen(path);

	for (const char *at = command; (at = strstr(at, path)); at += len) {
		const char *behind = at + len + strspn(at + len, "/");

		if (*behind == '\0' || strchr(" \t\n\"';&|):,", *behind))
			return true;
	}
	return false;
}

/* Whether the command of a build names the file, or a folder that it is in. */
static bool
is_in_command(const char *command, const char *path)
{
	char *part = mem_strdup(path);
	bool named = false;

	while (command && !named && strchr(part + 1, '/')) {
		named = has_path(command, part);
		*strrchr(part, '/') = '\0';
	}
	free(part);
	return named;
}

/* Whether the file is in, or some levels below, a folder where a build system has its own files. */
static bool
is_in_build_folder(const char *path)
{
	static const char *const marks[] = {"CMakeCache.txt", "build.ninja", "config.status",
		"meson-info", ".ninja_log", ".rustc_info.json"};
	char *part = mem_strdup(path);
	bool found = false;

	for (int level = 0; level < LEVELS_MAX && !found; level++) {
		char *slash = strrchr(part, '/');

		if (!slash || slash == part)
			break;
		*slash = '\0';
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !found; i++) {
			char *mark = file_join(part, marks[i]);

			found = file_exists(mark);
			free(mark);
		}
	}
	free(part);
	return found;
}

/* Whether the file is the program that `run` names, and not an interpreter. */
static bool
is_the_program(const struct workload *workload, const char *path)
{
	char *program = strchr(workload->run[0], '/') ? program_file(workload, 0) : NULL;
	char *real = program ? realpath(program, NULL) : NULL;
	const bool is =
		real && strcmp(real, path) == 0 && !program_script_endings(workload->run[0], real);

	free(real);
	free(program);
	return is;
}

/*
 * Whether the file has the path of a build's folder in it. Tools that are installed may have been
 * built elsewhere in a folder of the same name, where that is as short as "/src".
 */
static bool
mentions_build(const char *path, const char *folder)
{
	return (strchr(folder + 1, '/') || !build_product_is_system(path)) &&
	       file_origin_mentions(path, folder);
}

/* The evidence that holds outside of the folders that programs are installed in. */
static const char *
evidence_outside(const struct workload *workload, const struct run_file *file, bool is_code)
{
	if (is_in_command(workload->build, file->path))
		return "`build` names its folder";
	if (!is_code)
		return NULL;
	if (is_temporary(file->path))
		return "it is in a folder for temporary files";
	if (is_in_build_folder(file->path))
		return "it is in the folder of a build";
	if (workload->build && is_the_program(workload, file->path))
		return "`run` names it, and there is a `build`";
	return NULL;
}

void
build_contents_release(struct build_contents *contents)
{
	product_sources_release(&contents->sources);
	installed_files_release(&contents->files);
}

const char *
build_product_evidence(const struct tree_text *texts, const struct workload *workload,
	const struct build_times *times, struct build_contents *contents,
	const struct run_file *file)
{
	const bool is_code = file->uses & CODE;
	const bool may_be_run =
		!build_product_is_packaged(file->path) || file->uses & RUN_FILE_WRITTEN;
	const char *evidence = NULL;
	struct timespec written;

	if (!file_written_at(file->path, &written) || (!is_code && !is_script(file->path)) ||
		is_from_package(file->path, &written))
		return NULL;
	if (was_made(times, &written, BUILD_STEP_BUILD) ||
		(is_code && was_made(times, &written, BUILD_STEP_SETUP)))
		return "a build of this gate made it";
	/* A package's file that changes while the run does not write to it was changed by something
	 * else. */
	if (is_code && may_be_run && !is_named_by_hash(file->path) &&
		was_made(times, &written, BUILD_STEP_RUN))
		return "a run of this gate made it";
	if (!build_product_is_system(file->path))
		evidence = evidence_outside(workload, file, is_code);
	if (evidence || !texts || build_product_is_packaged(file->path))
		return evidence;
	if (!is_code)
		return installed_files_evidence(&contents->files, texts, file);
	if (mentions_build(file->path, tree_text_here(texts)) ||
		mentions_build(file->path, tree_text_there(texts)))
		return "it was built from one of both folders, whose name is in it";
	if (product_source_is(&contents->sources, texts, file->path))
		return "it was built from sources of these names, and has their functions";
	return installed_files_evidence(&contents->files, texts, file);
}
