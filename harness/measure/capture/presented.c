/*
 * Naming the processor that callgrind presents to programs, by what a program of ours finds there.
 */
#include "base/mem.h"
#include "capture/capture_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A register in the line of this leaf and part (Intel, Software Developer's Manual, CPUID). */
static uint64_t
feature_word(const char *text, const char *line, unsigned place)
{
	const char *at = strstr(text, line);
	uint64_t word = 0;

	if (!at)
		return 0;
	at += strlen(line);
	for (unsigned i = 0; i <= place; i++) {
		char *end;

		word = strtoull(at, &end, 16);
		at = end;
	}
	return word;
}

void
presented_name(const char *text, char name[PRESENTED_SIZE])
{
	enum { EBX = 1, ECX = 2 };
	const uint64_t first = feature_word(text, "cpuid 1 0 ", ECX);
	const uint64_t seventh = feature_word(text, "cpuid 7 0 ", EBX);
	const char *set = strncmp(text, "vendor", strlen("vendor")) != 0 ? "features"
			  : seventh >> 16 & 1                            ? "avx512"
			  : seventh >> 5 & 1                             ? "avx2"
			  : first >> 28 & 1                              ? "avx"
			  : first >> 20 & 1                              ? "sse4.2"
									 : "sse2";
	char hash[SHA256_TEXT_SIZE];

	sha256_text(text, strlen(text), hash);
	snprintf(name, PRESENTED_SIZE, "%s-%.8s", set, hash);
}

/* A file in memory with the program, which children inherit; -1 with errno. */
static int
open_program(void)
{
	const size_t len = cpu_features_program_bytes;
	const int fd = memfd_create("cpu_features", 0);

	if (fd >= 0 && write(fd, cpu_features_program, len) != (ssize_t)len) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
run_features(
	const char *const *simulator, const char *path, struct tool_output *output, struct err *err)
{
	size_t nwords = 0;

	while (simulator[nwords])
		nwords++;
	const char **argv = mem_zalloc(nwords + 2, sizeof(*argv));

	memcpy(argv, simulator, nwords * sizeof(*argv));
	argv[nwords] = path;
	int status = tool_run(output, argv, NULL, NULL, err);

	if (status == 0 && (output->status != 0 || output->out.len == 0)) {
		status = err_set(err, ERR_MEASURE, "'%s' cannot run a program (exit status %d)",
			simulator[0], output->status);
		tool_note_complaint(output, err);
	}
	free(argv);
	return status;
}

int
presented_ask(const char *const *simulator, char name[PRESENTED_SIZE], struct err *err)
{
	struct tool_output output = {0};
	char path[32];

	name[0] = '\0';
	if (cpu_features_program_bytes == 0)
		return 0;
	const int fd = open_program();

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int status = run_features(simulator, path, &output, err);

	if (status == 0)
		presented_name(buf_text(&output.out), name);
	tool_output_release(&output);
	close(fd);
	return status;
}
