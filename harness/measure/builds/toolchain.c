/* Describing the compilers and the variables that steer a build, as text and as its hash. */
#include "builds/toolchain.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/elf_image.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The compilers that builds use where no variable names one. */
static const char *const compilers[] = {"cc", "c++", "gcc", "g++", "clang", "clang++", "gfortran",
	"rustc", "go", "javac", "swiftc", "ghc", "zig", "nvcc", "ocamlopt", "ldc2", "dmd", "ld",
	NULL};

/* Compilers that may be a wrapper's name, and that print their version within some milliseconds. */
static const char *const wrapped[] = {"cc", "c++", "clang", "clang++", "gfortran", "rustc", NULL};

/* Variables that name a compiler, maybe with options or behind "ccache". */
static const char *const naming[] = {"CC", "CXX", "CPP", "FC", "LD", "RUSTC", "RUSTC_WRAPPER",
	"CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER", NULL};

static bool
is_one_of(const char *const *names, const char *name, size_t len)
{
	for (; *names; names++) {
		if (strlen(*names) == len && strncmp(*names, name, len) == 0)
			return true;
	}
	return false;
}

static bool
begins_with_any(const char *const *beginnings, const char *name)
{
	for (; *beginnings; beginnings++) {
		if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
			return true;
	}
	return false;
}

static bool
has_any(const char *const *parts, const char *name, size_t len)
{
	for (; *parts; parts++) {
		if (memmem(name, len, *parts, strlen(*parts)))
			return true;
	}
	return false;
}

bool
toolchain_variable_counts(const char *variable)
{
	static const char *const names[] = {"PATH", "CC", "CXX", "CPP", "FC", "LD", "AR", "AS",
		"NM", "RANLIB", "LDLIBS", "RUSTC", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
		"LIBRARY_PATH", "CROSS_COMPILE", "JAVA_HOME", "NODE_ENV", NULL};
	static const char *const beginnings[] = {
		"CARGO_", "RUST", "GO", "PKG_CONFIG", "LD_", "CMAKE_", NULL};
	/* GO_* are those of the CI system GoCD. */
	static const char *const others[] = {"GO_", "GOOGLE", NULL};
	static const char *const secrets[] = {
		"TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH", "_KEY", NULL};
	const size_t len = strcspn(variable, "=");

	if (is_one_of(names, variable, len))
		return true;
	if (has_any(secrets, variable, len))
		return false;
	if (len >= 5 && strncmp(variable + len - 5, "FLAGS", 5) == 0)
		return true;
	return begins_with_any(beginnings, variable) && !begins_with_any(others, variable);
}

/*
 * Appends a variable and its value. From make's flags those of its job server are left out, whose
 * pipe or file has another name each time.
 */
static void
put_variable(struct buf *out, const char *variable)
{
	const size_t len = strcspn(variable, "=");
	const bool of_make = memmem(variable, len, "MAKEFLAGS", 9) != NULL;
	char *rest = NULL;

	if (!of_make && strncmp(variable, "MFLAGS=", 7) != 0) {
		buf_printf(out, "%zu %s\n", strlen(variable), variable);
		return;
	}
	char *copy = mem_strdup(variable + len + (variable[len] == '='));

	buf_printf(out, "%.*s ", (int)len, variable);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (strncmp(word, "-j", 2) != 0 && strncmp(word, "--jobserver", 11) != 0)
			buf_printf(out, "%s ", word);
	}
	buf_putc(out, '\n');
	free(copy);
}

static void
put_variables(struct buf *out)
{
	const char **all = NULL;
	size_t count = 0;
	size_t capacity = 0;

	for (char **at = environ; *at; at++) {
		if (!toolchain_variable_counts(*at))
			continue;
		all = mem_grow(all, &capacity, count + 1, sizeof(*all));
		all[count++] = *at;
	}
	if (count > 0)
		qsort(all, count, sizeof(*all), text_order);
	for (size_t i = 0; i < count; i++)
		put_variable(out, all[i]);
	free(all);
}

static void
put_version(struct buf *out, const char *path)
{
	const char *const args[] = {path, "--version", NULL};
	struct tool_output output;
	struct err ignored = {0};
	char hash[SHA256_TEXT_SIZE];

	if (tool_run(&output, args, NULL, NULL, &ignored) == 0) {
		sha256_text(buf_text(&output.out), output.out.len, hash);
		buf_printf(out, "  version %s\n", hash);
	}
	tool_output_release(&output);
}

/*
 * Whether the hash of this file says which compiler runs: of a script (Nix), ccache or rustup it
 * does not, as these start another program. Asking each compiler takes as long as all else that a
 * gate of an unchanged program does.
 */
static bool
is_compiler_itself(const char *path)
{
	static const char *const names[] = {"gcc", "g++", "clang", "gfortran", NULL};
	const char *name = file_basename(path);

	return has_any(names, name, strlen(name)) && elf_is_image(path);
}

/*
 * Appends the program that is found by this name: its path and the hash of its file, and its
 * version where it may start another program.
 */
static void
put_program(struct buf *out, const char *name, bool is_asked)
{
	char *path = find_program(name, NULL, NULL);
	char *real = path ? realpath(path, NULL) : NULL;
	struct err ignored = {0};
	char hash[SHA256_TEXT_SIZE];

	if (real && sha256_file(real, hash, &ignored) == 0) {
		buf_printf(out, "%s %s %s\n", name, real, hash);
		if (is_asked && !is_compiler_itself(real))
			put_version(out, path);
	}
	free(real);
	free(path);
}

void
toolchain_describe(struct buf *out)
{
	put_variables(out);
	for (size_t i = 0; naming[i]; i++) {
		const char *value = getenv(naming[i]);
		char *words = mem_strdup(value ? value : "");
		char *rest = NULL;

		for (char *word = strtok_r(words, " \t", &rest); word;
			word = strtok_r(NULL, " \t", &rest)) {
			if (word[0] != '-')
				put_program(out, word, true);
		}
		free(words);
	}
	for (size_t i = 0; compilers[i]; i++)
		put_program(
			out, compilers[i], is_one_of(wrapped, compilers[i], strlen(compilers[i])));
}

void
toolchain_hash(char hash[SHA256_TEXT_SIZE])
{
	static char *asked_with; /* the variables when the compilers were asked */
	static char kept[SHA256_TEXT_SIZE];
	struct buf text = {0};

	put_variables(&text);
	if (!asked_with || strcmp(asked_with, buf_text(&text)) != 0) {
		free(asked_with);
		asked_with = mem_strdup(buf_text(&text));
		buf_release(&text);
		toolchain_describe(&text);
		sha256_text(buf_text(&text), text.len, kept);
	}
	memcpy(hash, kept, sizeof(kept));
	buf_release(&text);
}
