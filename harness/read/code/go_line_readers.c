/*
 * Whether code of a Go program takes lines of its source. It may then do other work where lines are
 * others.
 *
 * Lines come from a few functions of the standard library. Some of its packages call them, too, and
 * do nothing with lines but to write them: into the traces of a panic, profiles and reports of
 * failed tests. These calls do not count. All others do, and so do loggers that are given flags or
 * options, with which they may write the line. Functions of the program that only use the logger of
 * package log as it is take no lines.
 */
#include "code/digest_internal.h"
#include "code/go_lines.h"

#include <elf.h>
#include <string.h>

#define LINE_FUNCTIONS_MAX 64
#define WORD 8

/* Functions that give lines, or make something that does. */
static const char *const line_functions[] = {"runtime.Caller", "runtime.CallersFrames",
	"runtime.(*Frames).Next", "runtime.FuncForPC", "runtime.(*Func).FileLine",
	"runtime.funcline", "runtime.funcline1", "runtime.Stack", "runtime/debug.Stack",
	"runtime/debug.PrintStack", "debug/gosym.NewLineTable", "log.New", "log.SetFlags",
	"log.(*Logger).SetFlags", "log/slog.NewTextHandler", "log/slog.NewJSONHandler",
	"log/slog.Record.Source", NULL};

/* Packages that only write lines. */
static const char *const line_writers[] = {"database/sql", "go/types", "internal/pkgbits",
	"internal/reflectlite", "log", "log/slog", "net/http", "net/http/pprof", "reflect",
	"runtime", "runtime/debug", "runtime/pprof", "runtime/trace", "testing", NULL};

static bool
is_line_function(const char *name)
{
	for (const char *const *function = line_functions; *function; function++)
		if (strcmp(name, *function) == 0)
			return true;
	return false;
}

/* "net/http.(*Server).Serve" is of package "net/http". */
static bool
is_of_line_writer(const char *name)
{
	const char *slash = strrchr(name, '/');
	const size_t len =
		slash ? (size_t)(slash - name) + strcspn(slash, ".") : strcspn(name, ".");

	for (const char *const *package = line_writers; *package; package++)
		if (strncmp(name, *package, len) == 0 && (*package)[len] == '\0')
			return true;
	return false;
}

/* The addresses of the functions that give lines. */
struct function_starts {
	uint64_t addresses[LINE_FUNCTIONS_MAX];
	size_t count;
};

static bool
is_start(const struct function_starts *starts, uint64_t address)
{
	for (size_t i = 0; i < starts->count; i++)
		if (starts->addresses[i] == address)
			return true;
	return false;
}

static bool
inlines_line_function(
	const struct digest *digest, const struct go_lines *lines, const struct go_record *record)
{
	struct go_inlines inlines;

	if (!go_lines_inlines(lines, record, &inlines))
		return true;
	const unsigned char *bytes = inlines.count > 0 ? go_inlines_bytes(digest, &inlines) : NULL;

	for (uint64_t i = 0; i < inlines.count; i++) {
		uint32_t place;

		if (!bytes)
			return true;
		memcpy(&place, bytes + i * inlines.bytes + inlines.name, sizeof(place));
		const char *name = go_lines_name(lines, place);

		if (!name || is_line_function(name))
			return true;
	}
	return false;
}

/* x86-64: CALL and JMP, with the distance from their end. */
static bool
calls_x86(const struct function_starts *starts, const unsigned char *code, uint64_t size,
	uint64_t address)
{
	for (uint64_t at = 0; size >= 5 && at <= size - 5; at++) {
		int32_t distance;

		if (code[at] != 0xe8 && code[at] != 0xe9)
			continue;
		memcpy(&distance, code + at + 1, sizeof(distance));
		if (is_start(starts, address + at + 5 + (uint64_t)(int64_t)distance))
			return true;
	}
	return false;
}

/* AArch64: BL and B, with the distance in words. */
static bool
calls_aarch64(const struct function_starts *starts, const unsigned char *code, uint64_t size,
	uint64_t address)
{
	for (uint64_t at = 0; size >= 4 && at <= size - 4; at += 4) {
		uint32_t word;

		memcpy(&word, code + at, sizeof(word));
		if ((word & 0x7c000000) != 0x14000000)
			continue;
		const uint64_t distance = (uint64_t)(word & 0x03ffffff) * 4;
		const uint64_t sign = UINT64_C(1) << 27;

		if (is_start(starts, address + at + ((distance ^ sign) - sign)))
			return true;
	}
	return false;
}

static bool
takes_lines(const struct digest *digest, const struct go_lines *lines,
	const struct function_starts *starts, const struct go_record *record)
{
	const struct digest_section *section = digest_section_at(digest, record->function.start);
	const uint64_t offset = section ? record->function.start - section->address : 0;
	const uint64_t size = record->function.end - record->function.start;

	if (is_of_line_writer(record->function.name))
		return false;
	if (!section || !section->bytes || size > section->size - offset ||
		inlines_line_function(digest, lines, record))
		return true;
	return digest->machine == EM_X86_64
		       ? calls_x86(starts, section->bytes + offset, size, record->function.start)
		       : calls_aarch64(
				 starts, section->bytes + offset, size, record->function.start);
}

/*
 * Whether data have the address of a function that gives lines: it is called through that. Behind
 * the table itself may be values of functions.
 */
static bool
is_in_data(const struct digest *digest, const struct go_lines *lines,
	const struct function_starts *starts)
{
	for (size_t i = 0; i < digest->nsections; i++) {
		const struct digest_section *section = &digest->sections[i];
		uint64_t at = section->address == lines->address ? lines->functions_end : 0;

		if (!section->bytes || (section->header.sh_flags & SHF_EXECINSTR))
			continue;
		at += -(section->address + at) % WORD;
		for (; at + WORD <= section->size; at += WORD) {
			uint64_t word;

			memcpy(&word, section->bytes + at, sizeof(word));
			if (is_start(starts, word))
				return true;
		}
	}
	return false;
}

bool
go_lines_are_read(const struct digest *digest, struct go_lines *lines)
{
	struct function_starts starts = {.count = 0};
	struct go_record record;

	if (digest->machine != EM_X86_64 && digest->machine != EM_AARCH64)
		return true;
	for (uint64_t i = 0; i < lines->table.nfunctions; i++) {
		if (!go_lines_record(lines, i, &record))
			return true;
		if (!is_line_function(record.function.name))
			continue;
		if (starts.count == LINE_FUNCTIONS_MAX)
			return true;
		starts.addresses[starts.count++] = record.function.start;
	}
	if (is_in_data(digest, lines, &starts))
		return true;
	for (uint64_t i = 0; i < lines->table.nfunctions; i++)
		if (!go_lines_record(lines, i, &record) ||
			takes_lines(digest, lines, &starts, &record))
			return true;
	return false;
}
