/*
 * Leaves out of a digest of a Go program what does not change its work: the commit that Go stamps,
 * the folder of the build in its table of lines, and the lines themselves, where no code of the
 * program takes them.
 *
 * Source of the build info: cmd/go/internal/modload/build.go ("infoStart", "infoEnd").
 */
#include "base/buf.h"
#include "base/mem.h"
#include "code/digest_internal.h"
#include "code/go_lines.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

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
