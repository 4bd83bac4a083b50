/*
 * Leaves out of a digest of a Go program what does not change its work: the commit that Go stamps,
 * the folder of the build in its table of lines, and the lines themselves, where no code of the
 * program takes them.
 *
 * The parts, in this order: the table of lines is read, the code is searched for what takes lines,
 * then bytes are omitted.
 */
#include "code/digest_internal.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/go_table.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

/*
 * The table: where Go's table of functions (elf/go_table.h) has lines of the source, and what else
 * it has of each function. Of Go 1.18 and later.
 *
 * Source: runtime/symtab.go ("pcHeader", "moduledata", "_func", "inlinedCall") and
 * cmd/link/internal/ld/pcln.go of Go 1.19; checked with programs of Go 1.19, 1.23 and 1.26.
 */

#define GO_TABLE_SECTION ".gopclntab"
#define GO_HEADER_WORDS 8
/* The runtime's data about the program, "moduledata": they begin with the table's address. */
#define GO_MODULE_WORDS 41

/* Places are offsets in the section. */
struct go_lines {
	struct go_table
		table; /* `stacks` and `index` are the values' and the functions' beginning */
	uint64_t address;
	uint64_t units; /* indexes into the file names, 4 bytes each */
	uint64_t files; /* their names */
	bool has_first; /* functions and inlined calls have their first line: from Go 1.20 */
	/* By the module: */
	uint64_t values_end;
	uint64_t functions_end;
	uint64_t data; /* address that functions' data are counted from */
};

/* A function in the table; tables of values are places in all values, 0: none. */
struct go_record {
	struct go_function function;
	const unsigned char *plain; /* GO_RECORD_PLAIN bytes without such a place */
	uint32_t frame_sizes;
	uint32_t files;
	uint32_t unit;
	const unsigned char *kind; /* 4 bytes: what it is, and the number of its data */
	uint32_t ntables;
	const unsigned char *tables; /* their places, 4 bytes each */
	uint32_t ndata;
	const unsigned char *data; /* distances of its data, 4 bytes each; UINT32_MAX: none */
};
#define GO_RECORD_PLAIN 16
#define GO_RECORD_KIND 4

/* The calls that are inlined into a function. */
struct go_inlines {
	uint64_t address;
	uint64_t count;
	uint64_t bytes; /* of each */
	uint64_t line;  /* offset of its line, 4 bytes */
	uint64_t name;  /* ... and of the place of the called function's name, 4 bytes */
};

#define MAGIC_1_18 UINT32_C(0xfffffff0)
#define MAGIC_1_20 UINT32_C(0xfffffff1)
#define HEADER_BYTES (8 + GO_HEADER_WORDS * 8)

/* Bytes of a function in the index: where its code and its record are. */
#define INDEX_ENTRY 8

/* A function's record, in words of 4 bytes; the rest is bytes. */
enum record_word {
	RECORD_FRAME_SIZES = 4,
	RECORD_FILES = 5,
	RECORD_NTABLES = 7,
	RECORD_UNIT = 8,
	RECORD_WORDS = 9, /* and one more: the first line */
};
#define TABLE_INLINES 2 /* of a function's tables of values: which inlined call it is */
#define DATA_INLINES 3  /* of a function's data: the inlined calls */

/* Words of the module. */
enum module_word {
	MODULE_HEADER,
	MODULE_NAMES,
	MODULE_VALUES = 10,
	MODULE_FUNCTIONS = 13,
	MODULE_TEXT = 22,
	MODULE_DATA_1_18 = 38,
	MODULE_DATA_1_20 = 40,
};

static uint32_t
go_word_at(const unsigned char *bytes, size_t word)
{
	uint32_t number;

	memcpy(&number, bytes + word * sizeof(number), sizeof(number));
	return number;
}

/* Reads the header. False where it is none, or of another version. */
static bool
go_lines_read(struct go_lines *lines, const unsigned char *bytes, uint64_t size, uint64_t address)
{
	uint64_t words[GO_HEADER_WORDS];
	struct go_table table;

	if (!bytes || size < HEADER_BYTES || !go_table_parse(&table, bytes, size))
		return false;
	const uint32_t magic = go_word_at(bytes, 0);

	if (magic != MAGIC_1_18 && magic != MAGIC_1_20)
		return false;
	memcpy(words, bytes + 8, sizeof(words));
	*lines = (struct go_lines){
		.table = table,
		.address = address,
		.has_first = magic == MAGIC_1_20,
		.units = words[4],
		.files = words[5],
	};
	return table.names >= HEADER_BYTES && table.names <= lines->units &&
	       lines->units % 4 == 0 && lines->units <= lines->files &&
	       lines->files < table.stacks && table.stacks <= table.index;
}

/* Whether `words` are the module's, which is then read. */
static bool
go_lines_read_module(struct go_lines *lines, const uint64_t words[GO_MODULE_WORDS])
{
	struct go_table *table = &lines->table;
	/* Each has an address, a length and a capacity. */
	const uint64_t *values = words + MODULE_VALUES;
	const uint64_t *functions = words + MODULE_FUNCTIONS;

	if (words[MODULE_HEADER] != lines->address ||
		words[MODULE_NAMES] != lines->address + table->names ||
		values[0] != lines->address + table->stacks || values[1] != values[2] ||
		functions[0] != lines->address + table->index || functions[1] != functions[2] ||
		values[1] > table->index - table->stacks ||
		functions[1] > table->len - table->index ||
		table->nfunctions >= functions[1] / INDEX_ENTRY)
		return false;
	lines->values_end = table->stacks + values[1];
	lines->functions_end = table->index + functions[1];
	lines->data = words[lines->has_first ? MODULE_DATA_1_20 : MODULE_DATA_1_18];
	table->text = words[MODULE_TEXT];
	return true;
}

/* A name, by its place in all names. NULL: there is none. */
static const char *
go_lines_name(const struct go_lines *lines, uint32_t place)
{
	const uint64_t len = lines->units - lines->table.names;
	const char *name = (const char *)lines->table.bytes + lines->table.names + place;

	return place < len && memchr(name, '\0', len - place) ? name : NULL;
}

/* The record of function number `i`. False where the table is damaged. */
static bool
go_lines_record(struct go_lines *lines, uint64_t i, struct go_record *record)
{
	const uint64_t fixed = (uint64_t)(RECORD_WORDS + (lines->has_first ? 1 : 0)) * 4;
	const uint64_t size = lines->functions_end - lines->table.index;
	struct go_function function;

	if (!go_table_function(&lines->table, i, &function))
		return false;
	const unsigned char *all = lines->table.bytes + lines->table.index;
	const uint64_t at = go_word_at(all + i * INDEX_ENTRY, 1);

	if (at > size || size - at < fixed + GO_RECORD_KIND)
		return false;
	const unsigned char *plain = all + at;
	const unsigned char *kind = plain + fixed;
	const uint64_t ntables = go_word_at(plain, RECORD_NTABLES);
	const uint64_t ndata = kind[GO_RECORD_KIND - 1];

	if ((ntables + ndata) * 4 > size - at - fixed - GO_RECORD_KIND)
		return false;
	*record = (struct go_record){
		.function = function,
		.plain = plain,
		.frame_sizes = go_word_at(plain, RECORD_FRAME_SIZES),
		.files = go_word_at(plain, RECORD_FILES),
		.unit = go_word_at(plain, RECORD_UNIT),
		.kind = kind,
		.ntables = (uint32_t)ntables,
		.tables = kind + GO_RECORD_KIND,
		.ndata = (uint32_t)ndata,
		.data = kind + GO_RECORD_KIND + ntables * 4,
	};
	return true;
}

/* The bytes of a table of values, and the largest value in it. 0: it is damaged. */
static uint64_t
go_lines_values(const struct go_lines *lines, uint32_t place, int64_t *largest)
{
	const unsigned char *begin = lines->table.bytes + lines->table.stacks + place;
	const unsigned char *end = lines->table.bytes + lines->values_end;
	/* They are written as the sizes of stack frames are. */
	struct go_stack value = {.at = begin, .end = end, .bytes = -1};

	*largest = -1;
	if (place >= lines->values_end - lines->table.stacks)
		return 0;
	while (go_stack_next(&lines->table, &value))
		*largest = value.bytes > *largest ? value.bytes : *largest;
	return value.started && value.at[-1] == 0 ? (uint64_t)(value.at - begin) : 0;
}

/* False where the table is damaged; `count` is 0 where there are none. */
static bool
go_lines_inlines(
	const struct go_lines *lines, const struct go_record *record, struct go_inlines *inlines)
{
	int64_t largest;

	*inlines = lines->has_first ? (struct go_inlines){.bytes = 16, .line = 12, .name = 4}
				    : (struct go_inlines){.bytes = 20, .line = 8, .name = 12};
	if (record->ndata <= DATA_INLINES || record->ntables <= TABLE_INLINES)
		return true;
	const uint32_t data = go_word_at(record->data, DATA_INLINES);
	const uint32_t place = go_word_at(record->tables, TABLE_INLINES);

	if (data == UINT32_MAX || place == 0)
		return true;
	if (go_lines_values(lines, place, &largest) == 0)
		return false;
	inlines->address = lines->data + data;
	inlines->count = (uint64_t)(largest + 1);
	return true;
}

/*
 * The search: whether code of a Go program takes lines of its source. It may then do other work
 * where lines are others.
 *
 * Lines come from a few functions of the standard library. Some of its packages call them, too, and
 * do nothing with lines but to write them: into the traces of a panic, profiles and reports of
 * failed tests. These calls do not count. All others do, and so do loggers that are given flags or
 * options, with which they may write the line. Functions of the program that only use the logger of
 * package log as it is take no lines.
 */

#define READERS_MAX 64
#define WORD 8

/* Functions that give lines, or make something that does. */
static const char *const givers[] = {"runtime.Caller", "runtime.CallersFrames",
	"runtime.(*Frames).Next", "runtime.FuncForPC", "runtime.(*Func).FileLine",
	"runtime.funcline", "runtime.funcline1", "runtime.Stack", "runtime/debug.Stack",
	"runtime/debug.PrintStack", "debug/gosym.NewLineTable", "log.New", "log.SetFlags",
	"log.(*Logger).SetFlags", "log/slog.NewTextHandler", "log/slog.NewJSONHandler",
	"log/slog.Record.Source", NULL};

/* Packages that only write lines. */
static const char *const writers[] = {"database/sql", "go/types", "internal/pkgbits",
	"internal/reflectlite", "log", "log/slog", "net/http", "net/http/pprof", "reflect",
	"runtime", "runtime/debug", "runtime/pprof", "runtime/trace", "testing", NULL};

static bool
is_giver(const char *name)
{
	for (const char *const *giver = givers; *giver; giver++)
		if (strcmp(name, *giver) == 0)
			return true;
	return false;
}

/* "net/http.(*Server).Serve" is of package "net/http". */
static bool
is_of_writer(const char *name)
{
	const char *slash = strrchr(name, '/');
	const size_t len =
		slash ? (size_t)(slash - name) + strcspn(slash, ".") : strcspn(name, ".");

	for (const char *const *writer = writers; *writer; writer++)
		if (strncmp(name, *writer, len) == 0 && (*writer)[len] == '\0')
			return true;
	return false;
}

/* Where the functions that give lines begin. */
struct given {
	uint64_t begins[READERS_MAX];
	size_t count;
};

static bool
is_begin(const struct given *given, uint64_t address)
{
	for (size_t i = 0; i < given->count; i++)
		if (given->begins[i] == address)
			return true;
	return false;
}

/* The inlined calls as they are in the file; NULL: they are in no constant section. */
static const unsigned char *
go_inlines_bytes(const struct digest *digest, const struct go_inlines *inlines)
{
	const struct digest_section *section = digest_section_at(digest, inlines->address);
	const uint64_t offset = section ? inlines->address - section->address : 0;

	return section && section->bytes &&
			       !(section->header.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) &&
			       inlines->count <= (section->size - offset) / inlines->bytes
		       ? section->bytes + offset
		       : NULL;
}

static bool
inlines_giver(
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

		if (!name || is_giver(name))
			return true;
	}
	return false;
}

/* x86-64: CALL and JMP, with the distance from their end. */
static bool
calls_x86(const struct given *given, const unsigned char *code, uint64_t size, uint64_t address)
{
	for (uint64_t at = 0; size >= 5 && at <= size - 5; at++) {
		int32_t distance;

		if (code[at] != 0xe8 && code[at] != 0xe9)
			continue;
		memcpy(&distance, code + at + 1, sizeof(distance));
		if (is_begin(given, address + at + 5 + (uint64_t)(int64_t)distance))
			return true;
	}
	return false;
}

/* AArch64: BL and B, with the distance in words. */
static bool
calls_aarch64(const struct given *given, const unsigned char *code, uint64_t size, uint64_t address)
{
	for (uint64_t at = 0; size >= 4 && at <= size - 4; at += 4) {
		uint32_t word;

		memcpy(&word, code + at, sizeof(word));
		if ((word & 0x7c000000) != 0x14000000)
			continue;
		const uint64_t distance = (uint64_t)(word & 0x03ffffff) * 4;
		const uint64_t sign = UINT64_C(1) << 27;

		if (is_begin(given, address + at + ((distance ^ sign) - sign)))
			return true;
	}
	return false;
}

static bool
takes_lines(const struct digest *digest, const struct go_lines *lines, const struct given *given,
	const struct go_record *record)
{
	const struct digest_section *section = digest_section_at(digest, record->function.start);
	const uint64_t offset = section ? record->function.start - section->address : 0;
	const uint64_t size = record->function.end - record->function.start;

	if (is_of_writer(record->function.name))
		return false;
	if (!section || !section->bytes || size > section->size - offset ||
		inlines_giver(digest, lines, record))
		return true;
	return digest->machine == EM_X86_64
		       ? calls_x86(given, section->bytes + offset, size, record->function.start)
		       : calls_aarch64(
				 given, section->bytes + offset, size, record->function.start);
}

/*
 * Whether data have the address of a function that gives lines: it is called through that. Behind
 * the table itself may be values of functions.
 */
static bool
is_in_data(const struct digest *digest, const struct go_lines *lines, const struct given *given)
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
			if (is_begin(given, word))
				return true;
		}
	}
	return false;
}

/*
 * Whether lines are read; true also where that is unknown: the table is damaged, or of another
 * processor.
 */
static bool
go_lines_are_read(const struct digest *digest, struct go_lines *lines)
{
	struct given given = {.count = 0};
	struct go_record record;

	if (digest->machine != EM_X86_64 && digest->machine != EM_AARCH64)
		return true;
	for (uint64_t i = 0; i < lines->table.nfunctions; i++) {
		if (!go_lines_record(lines, i, &record))
			return true;
		if (!is_giver(record.function.name))
			continue;
		if (given.count == READERS_MAX)
			return true;
		given.begins[given.count++] = record.function.start;
	}
	if (is_in_data(digest, lines, &given))
		return true;
	for (uint64_t i = 0; i < lines->table.nfunctions; i++)
		if (!go_lines_record(lines, i, &record) ||
			takes_lines(digest, lines, &given, &record))
			return true;
	return false;
}

/*
 * The omissions: the commit in the build info, paths, and lines.
 *
 * Source of the build info: cmd/go/internal/modload/build.go ("infoStart").
 */

#define TEXT_ALIGNMENT 8

/* A version that Go makes of the commit: "(devel)", "v0.0.0-20060102150405-0123456789ab+dirty". */
static bool
is_stamped_version(const char *version, size_t len)
{
	size_t digits = 0;

	if (len == 0 || version[0] == '(' || memmem(version, len, "+dirty", strlen("+dirty")))
		return true;
	while (digits < len && isxdigit((unsigned char)version[len - 1 - digits]))
		digits++;
	return digits == 12 && len > 28 && version[len - 13] == '-';
}

/* Go's build info without what it has of the commit; free() it. */
static char *
without_commit(const char *info, size_t len)
{
	struct buf text = {0};
	const char *end = info + len;

	while (info < end) {
		const char *line_end = memchr(info, '\n', (size_t)(end - info));
		const char *next = line_end ? line_end + 1 : end;
		const char *tab;

		if (strncmp(info, "mod\t", 4) == 0 &&
			(tab = memchr(info + 4, '\t', (size_t)(next - info - 4)))) {
			const char *version = tab + 1;
			size_t version_len = 0;

			while (version + version_len < next && version[version_len] != '\t' &&
				version[version_len] != '\n')
				version_len++;
			buf_put(&text, info, (size_t)(version - info));
			if (!is_stamped_version(version, version_len))
				buf_put(&text, version, version_len);
			buf_putc(&text, '\n');
		} else if (strncmp(info, "build\tvcs", 9) != 0) {
			buf_put(&text, info, (size_t)(next - info));
		}
		info = next;
	}
	char *kept = mem_strdup(buf_text(&text));

	buf_release(&text);
	return kept;
}

/* The marks around the build info: cmd/go/internal/modload/build.go, "infoStart" and "infoEnd". */
static const unsigned char info_start[] = {0x30, 0x77, 0xaf, 0x0c, 0x92, 0x74, 0x08, 0x02, 0x41,
	0xe1, 0xc1, 0x07, 0xe6, 0xd6, 0x18, 0xe6};
static const unsigned char info_end[] = {0xf9, 0x32, 0x43, 0x31, 0x86, 0x18, 0x20, 0x72, 0x00, 0x82,
	0x42, 0x10, 0x41, 0x16, 0xd8, 0xf2};

static void
omit_info(struct digest *digest, const struct digest_section *section)
{
	const unsigned char *bytes = section->bytes;
	const unsigned char *end = bytes + section->size;
	const unsigned char *start = memmem(bytes, section->size, info_start, sizeof(info_start));
	const unsigned char *behind =
		start ? memmem(start, (size_t)(end - start), info_end, sizeof(info_end)) : NULL;

	if (!behind)
		return;
	start += sizeof(info_start);
	digest_add_range(digest, section->address + (uint64_t)(start - bytes),
		(uint64_t)(behind - start), OMIT_STAMP,
		without_commit((const char *)start, (size_t)(behind - start)));
}

/* All of it but for the mark is the build info: Go 1.18 and later. */
static void
omit_build_info_section(struct digest *digest, const struct digest_section *section)
{
	static const char mark[] = "\xff Go buildinf:";
	const char *info = NULL;

	if (strcmp(section->name, ".go.buildinfo") != 0 || section->size < 32 ||
		memcmp(section->bytes, mark, sizeof(mark) - 1) != 0 || !(section->bytes[15] & 2))
		return;
	/* Two texts, each after its length: the version of Go, and the info between its marks. */
	const unsigned char *start =
		memmem(section->bytes, section->size, info_start, sizeof(info_start));

	if (!start)
		return;
	info = (const char *)start + sizeof(info_start);
	const unsigned char *end = section->bytes + section->size;
	const unsigned char *behind =
		memmem(start, (size_t)(end - start), info_end, sizeof(info_end));

	/* The length is ahead of it, of two bytes: 7 bits each, the first with a mark. */
	if (!behind || start < section->bytes + 34 || !(start[-2] & 0x80) || (start[-1] & 0x80))
		return;
	for (const unsigned char *at = behind + sizeof(info_end); at < end; at++)
		if (*at != '\0')
			return;
	digest_add_range(digest, section->address + (uint64_t)(start - section->bytes) - 2,
		(uint64_t)(end - start) + 2, OMIT_STAMP,
		without_commit(info, (size_t)((const char *)behind - info)));
}

static void
omit_paths(
	struct digest *digest, const struct digest_section *section, const struct go_lines *lines)
{
	uint64_t zeros = 0;

	if (!digest_omit_folders(digest, section, lines->files, lines->table.stacks, false))
		return;
	while (lines->table.stacks - zeros > lines->files &&
		section->bytes[lines->table.stacks - zeros - 1] == '\0')
		zeros++;
	if (zeros > 1 && zeros <= TEXT_ALIGNMENT)
		digest_add_range(digest, section->address + lines->table.stacks - zeros + 1,
			zeros - 1, OMIT_PADDING, NULL);
}

/* The runtime's data about the program, found by what they begin with. */
static bool
find_module(const struct digest *digest, struct go_lines *lines)
{
	uint64_t words[GO_MODULE_WORDS];

	for (size_t i = 0; i < digest->nsections; i++) {
		const struct digest_section *section = &digest->sections[i];
		const uint64_t first = -section->address % sizeof(*words);

		if (!section->bytes || !(section->header.sh_flags & SHF_WRITE))
			continue;
		for (uint64_t at = first; at + sizeof(words) <= section->size;
			at += sizeof(*words)) {
			memcpy(words, section->bytes + at, sizeof(*words));
			if (words[0] != lines->address)
				continue;
			memcpy(words, section->bytes + at, sizeof(words));
			if (go_lines_read_module(lines, words))
				return true;
		}
	}
	return false;
}

static bool
add_values(struct sha256_stream *hash, const struct go_lines *lines, uint32_t place)
{
	int64_t largest;
	const uint64_t len = place ? go_lines_values(lines, place, &largest) : 0;

	sha256_stream_add(hash, &len, sizeof(len));
	if (len > 0)
		sha256_stream_add(hash, lines->table.bytes + lines->table.stacks + place, len);
	return place == 0 || len > 0;
}

/* All that the table has of a function, its lines aside. */
static bool
hash_function(
	struct sha256_stream *hash, const struct go_lines *lines, const struct go_record *record)
{
	sha256_stream_add(hash, record->plain, GO_RECORD_PLAIN);
	sha256_stream_add(hash, &record->unit, sizeof(record->unit));
	sha256_stream_add(hash, record->kind, GO_RECORD_KIND);
	sha256_stream_add(hash, &record->ntables, sizeof(record->ntables));
	sha256_stream_add(hash, record->data, (size_t)record->ndata * 4);
	if (!add_values(hash, lines, record->frame_sizes) ||
		!add_values(hash, lines, record->files))
		return false;
	for (uint32_t i = 0; i < record->ntables; i++) {
		uint32_t place;

		memcpy(&place, record->tables + (size_t)i * 4, sizeof(place));
		if (!add_values(hash, lines, place))
			return false;
	}
	return true;
}

/* The lines of calls that were inlined. */
static bool
omit_inlined_lines(
	struct digest *digest, const struct go_lines *lines, const struct go_record *record)
{
	struct go_inlines inlines;

	if (!go_lines_inlines(lines, record, &inlines))
		return false;
	if (inlines.count > 0 && !go_inlines_bytes(digest, &inlines))
		return false;
	for (uint64_t i = 0; i < inlines.count; i++)
		digest_add_range(digest, inlines.address + i * inlines.bytes + inlines.line, 4,
			OMIT_LINES, NULL);
	return true;
}

/*
 * In the place of the tables of values and of functions, whose lengths depend on the lines, is what
 * they say of each function.
 */
static void
omit_lines(struct digest *digest, struct go_lines *lines)
{
	struct sha256_stream *hash = sha256_stream_new();
	const size_t nranges = digest->nranges;
	char text[SHA256_TEXT_SIZE];
	bool understood = true;

	for (uint64_t i = 0; i < lines->table.nfunctions && understood; i++) {
		struct go_record record;

		understood = go_lines_record(lines, i, &record) &&
			     hash_function(hash, lines, &record) &&
			     omit_inlined_lines(digest, lines, &record);
	}
	sha256_stream_end(hash, text);
	if (!understood) {
		digest->nranges = nranges;
		return;
	}
	digest_add_range(digest, lines->address + lines->table.stacks,
		lines->values_end - lines->table.stacks, OMIT_LINES, NULL);
	if (lines->table.index > lines->values_end)
		digest_add_range(digest, lines->address + lines->values_end,
			lines->table.index - lines->values_end, OMIT_PADDING, NULL);
	digest_add_range(digest, lines->address + lines->table.index,
		lines->functions_end - lines->table.index, OMIT_LINES, mem_strdup(text));
}

void
digest_omit_go(struct digest *digest)
{
	struct go_lines lines;

	for (size_t i = 0; i < digest->nsections; i++) {
		const struct digest_section *section = &digest->sections[i];

		if (!section->bytes || section->header.sh_type != SHT_PROGBITS)
			continue;
		if (strcmp(section->name, ".go.buildinfo") == 0)
			omit_build_info_section(digest, section);
		if (section->header.sh_flags & (SHF_EXECINSTR | SHF_WRITE))
			continue;
		if (strncmp(section->name, ".rodata", 7) == 0)
			omit_info(digest, section);
		if (strcmp(section->name, GO_TABLE_SECTION) != 0 ||
			!go_lines_read(&lines, section->bytes, section->size, section->address))
			continue;
		omit_paths(digest, section, &lines);
		if (find_module(digest, &lines) && !go_lines_are_read(digest, &lines))
			omit_lines(digest, &lines);
	}
}

size_t
digest_go_table(struct digest *digest, const struct digest_section *section)
{
	const uint64_t header_end = 8 + GO_HEADER_WORDS * sizeof(uint64_t);
	struct go_lines lines;

	if (strcmp(section->name, GO_TABLE_SECTION) != 0 ||
		!go_lines_read(&lines, section->bytes, section->size, section->address))
		return 0;
	digest_raw(digest, section->bytes, 8);
	for (size_t i = 0; i < GO_HEADER_WORDS; i++) {
		uint64_t word;

		memcpy(&word, section->bytes + 8 + i * sizeof(word), sizeof(word));
		/* The text's start is an address, the last five are offsets here. */
		if (i == 2 ? !digest_address(digest, 'a', word)
			   : i < 3 || !digest_address(digest, 'o', section->address + word))
			digest_mark(digest, 'n', word);
	}
	digest_raw(digest, section->bytes + header_end, lines.units - header_end);
	for (uint64_t at = lines.units; at + 4 <= lines.files; at += 4) {
		uint32_t offset;

		memcpy(&offset, section->bytes + at, sizeof(offset));
		if (offset == UINT32_MAX ||
			!digest_address(digest, 'o', section->address + lines.files + offset))
			digest_mark(digest, 'n', offset);
	}
	return lines.files;
}
