/* What is left out of a digest: paths of the build's folder, the stamps of Go. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/search.h"
#include "code/digest_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Objects that begin at a multiple of so many bytes have zeros ahead of them that align them. */
#define PADDED_ALIGNMENT 16
#define PADDING_MAX 31
#define TEXT_ALIGNMENT 8

static void
add_range(struct digest *digest, uint64_t address, uint64_t size, enum digest_omission kind,
	char *text)
{
	digest->ranges = mem_grow(digest->ranges, &digest->ranges_capacity, digest->nranges + 1,
		sizeof(*digest->ranges));
	digest->ranges[digest->nranges++] = (struct digest_range){
		.address = address, .end = address + size, .kind = kind, .text = text};
}

static int
compare_ranges(const void *a, const void *b)
{
	const struct digest_range *one = a;
	const struct digest_range *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return (one->end > other->end) - (one->end < other->end);
}

/* Sorts them, leaves out those that overlap one before, and counts. */
static void
finish_ranges(struct digest *digest)
{
	size_t kept = 0;
	uint64_t before = 0;

	if (digest->nranges > 0)
		qsort(digest->ranges, digest->nranges, sizeof(*digest->ranges), compare_ranges);
	for (size_t i = 0; i < digest->nranges; i++) {
		struct digest_range range = digest->ranges[i];

		if (kept > 0 && range.address < digest->ranges[kept - 1].end) {
			free(range.text);
			continue;
		}
		range.before = before;
		before += range.end - range.address - (range.kind != OMIT_PADDING);
		digest->ranges[kept++] = range;
	}
	digest->nranges = kept;
}

static bool
is_of_path(unsigned char byte)
{
	return isalnum(byte) || byte == '/' || byte == '.' || byte == '_' || byte == '-';
}

/* The first place of `folder` as the beginning of a path; NULL if none. */
static const unsigned char *
find_folder(const unsigned char *bytes, size_t len, const char *folder)
{
	const size_t folder_len = strlen(folder);
	const unsigned char *end = bytes + len;
	const unsigned char *at = bytes;

	while (folder_len > 1 && (at = memmem(at, (size_t)(end - at), folder, folder_len))) {
		const unsigned char *behind = at + folder_len;

		if (behind < end && (*behind == '/' || *behind == '\0') &&
			(at == bytes || !is_of_path(at[-1])))
			return at;
		at++;
	}
	return NULL;
}

static bool
is_target(const struct digest *digest, uint64_t address)
{
	size_t at = search_before(
		digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t), address);

	return at < digest->ntargets && digest->targets[at] == address;
}

/* Whether something leads to an address from `from` on and below `to`. */
static bool
has_target(const struct digest *digest, uint64_t from, uint64_t to)
{
	size_t at =
		search_before(digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t), from);

	return at < digest->ntargets && digest->targets[at] < to;
}

/* Zeros behind the text at `offset` that align the next one. */
static void
omit_text_padding(
	struct digest *digest, const struct digest_section *section, uint64_t offset, uint64_t len)
{
	const unsigned char *end = memchr(section->bytes + offset, '\0', len - offset);
	uint64_t from = end ? (uint64_t)(end - section->bytes) + 1 : len;
	uint64_t to =
		(section->address + from + TEXT_ALIGNMENT - 1) / TEXT_ALIGNMENT * TEXT_ALIGNMENT -
		section->address;

	if (to > len || to == from ||
		has_target(digest, section->address + from, section->address + to))
		return;
	for (uint64_t i = from; i < to; i++)
		if (section->bytes[i] != '\0')
			return;
	add_range(digest, section->address + from, to - from, OMIT_PADDING, NULL);
}

/* Returns whether there are any. */
static bool
omit_folders(struct digest *digest, const struct digest_section *section, uint64_t from,
	uint64_t to, bool padded)
{
	bool any = false;

	for (const char *const *folder = digest->folders; folder && *folder; folder++) {
		const unsigned char *at = section->bytes + from;
		const unsigned char *end = section->bytes + to;

		while ((at = find_folder(at, (size_t)(end - at), *folder))) {
			uint64_t offset = (uint64_t)(at - section->bytes);

			add_range(digest, section->address + offset, strlen(*folder), OMIT_FOLDER,
				NULL);
			any = true;
			at += strlen(*folder);
			if (padded)
				omit_text_padding(
					digest, section, (uint64_t)(at - section->bytes), to);
		}
	}
	return any;
}

/* Zeros ahead of objects: they depend on the length of what is before. */
static void
omit_paddings(struct digest *digest, const struct digest_section *section)
{
	size_t first = search_before(digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t),
		section->address + PADDING_MAX + 1);

	for (size_t i = first; i < digest->ntargets; i++) {
		uint64_t offset = digest->targets[i] - section->address;
		uint64_t zeros = 0;

		if (offset >= section->size)
			break;
		if (digest->targets[i] % PADDED_ALIGNMENT != 0)
			continue;
		while (zeros < PADDING_MAX && section->bytes[offset - zeros - 1] == '\0')
			zeros++;
		/* The first may end a text. */
		if (zeros <= 1 || zeros == PADDING_MAX)
			continue;
		uint64_t from = digest->targets[i] - zeros + 1;

		if (!has_target(digest, from, digest->targets[i]) && !is_target(digest, from - 1))
			add_range(digest, from, zeros - 1, OMIT_PADDING, NULL);
	}
}

static bool
starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

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

		if (starts_with(info, "mod\t") &&
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
		} else if (!starts_with(info, "build\tvcs")) {
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
omit_go_info(struct digest *digest, const struct digest_section *section)
{
	const unsigned char *bytes = section->bytes;
	const unsigned char *end = bytes + section->size;
	const unsigned char *start = memmem(bytes, section->size, info_start, sizeof(info_start));
	const unsigned char *behind =
		start ? memmem(start, (size_t)(end - start), info_end, sizeof(info_end)) : NULL;

	if (!behind)
		return;
	start += sizeof(info_start);
	add_range(digest, section->address + (uint64_t)(start - bytes), (uint64_t)(behind - start),
		OMIT_STAMP, without_commit((const char *)start, (size_t)(behind - start)));
}

struct go_table {
	uint64_t files; /* of the table of file names */
	uint64_t units; /* indexes into it, 4 bytes each */
	uint64_t behind_files;
	uint64_t lines;
};

#define GO_MAGIC_1_18 UINT32_C(0xfffffff0)
#define GO_MAGIC_1_20 UINT32_C(0xfffffff1)
#define GO_HEADER_WORDS 8

/* Source: runtime/symtab.go, "pcHeader". */
static bool
read_go_table(const struct digest_section *section, struct go_table *table)
{
	uint64_t words[GO_HEADER_WORDS];
	uint32_t magic;

	if (strcmp(section->name, ".gopclntab") != 0 || !section->bytes ||
		section->size < 8 + sizeof(words))
		return false;
	memcpy(&magic, section->bytes, sizeof(magic));
	memcpy(words, section->bytes + 8, sizeof(words));
	if ((magic != GO_MAGIC_1_18 && magic != GO_MAGIC_1_20) || section->bytes[7] != 8)
		return false;
	*table = (struct go_table){
		.units = words[4], .files = words[5], .behind_files = words[6], .lines = words[7]};
	return table->units >= 8 + sizeof(words) && table->units % 4 == 0 &&
	       table->units <= table->files && table->files < table->behind_files &&
	       table->behind_files <= table->lines && table->lines <= section->size;
}

static void
omit_go_paths(struct digest *digest, const struct digest_section *section)
{
	struct go_table table;
	uint64_t zeros = 0;

	if (!read_go_table(section, &table) ||
		!omit_folders(digest, section, table.files, table.behind_files, false))
		return;
	while (table.behind_files - zeros > table.files &&
		section->bytes[table.behind_files - zeros - 1] == '\0')
		zeros++;
	if (zeros > 1 && zeros <= TEXT_ALIGNMENT)
		add_range(digest, section->address + table.behind_files - zeros + 1, zeros - 1,
			OMIT_PADDING, NULL);
}

size_t
digest_go_table(struct digest *digest, const struct digest_section *section)
{
	const uint64_t header_end = 8 + GO_HEADER_WORDS * sizeof(uint64_t);
	struct go_table table;

	if (!read_go_table(section, &table))
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
	digest_raw(digest, section->bytes + header_end, table.units - header_end);
	for (uint64_t at = table.units; at + 4 <= table.files; at += 4) {
		uint32_t offset;

		memcpy(&offset, section->bytes + at, sizeof(offset));
		if (offset == UINT32_MAX ||
			!digest_address(digest, 'o', section->address + table.files + offset))
			digest_mark(digest, 'n', offset);
	}
	return table.files;
}

static bool
is_constant(const struct digest_section *section)
{
	return section->bytes && section->size > 0 && section->header.sh_type == SHT_PROGBITS &&
	       !(section->header.sh_flags & (SHF_EXECINSTR | SHF_WRITE));
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
	add_range(digest, section->address + (uint64_t)(start - section->bytes) - 2,
		(uint64_t)(end - start) + 2, OMIT_STAMP,
		without_commit(info, (size_t)((const char *)behind - info)));
}

void
digest_omit(struct digest *digest)
{
	for (size_t i = 0; i < digest->nsections; i++) {
		const struct digest_section *section = &digest->sections[i];

		if (section->bytes && section->header.sh_type == SHT_PROGBITS &&
			strcmp(section->name, ".go.buildinfo") == 0)
			omit_build_info_section(digest, section);
		if (!is_constant(section))
			continue;
		if (strcmp(section->name, ".gopclntab") == 0) {
			omit_go_paths(digest, section);
		} else if (starts_with(section->name, ".rodata")) {
			omit_go_info(digest, section);
			if (omit_folders(digest, section, 0, section->size, true))
				omit_paddings(digest, section);
		}
	}
	finish_ranges(digest);
}

void
digest_put_omitted(struct digest *digest, const struct digest_range *range)
{
	if (range->kind == OMIT_PADDING)
		return;
	if (range->text)
		digest_text(digest, (char)range->kind, range->text);
	else
		digest_mark(digest, (char)range->kind, 0);
}

void
digest_put_name(struct digest *digest, char mark, const char *name)
{
	struct buf text = {0};
	const unsigned char *at = (const unsigned char *)name;
	/* The terminator ends a path, too. */
	size_t left = strlen(name) + 1;

	while (left > 1) {
		const unsigned char *found = NULL;
		size_t len = 0;

		for (const char *const *folder = digest->folders; folder && *folder; folder++) {
			const unsigned char *place = find_folder(at, left, *folder);

			if (place && (!found || place < found)) {
				found = place;
				len = strlen(*folder);
			}
		}
		if (!found)
			break;
		buf_put(&text, at, (size_t)(found - at));
		buf_puts(&text, "\x01");
		left -= (size_t)(found + len - at);
		at = found + len;
	}
	buf_put(&text, at, left - 1);
	digest_text(digest, mark, buf_text(&text));
	buf_release(&text);
}
