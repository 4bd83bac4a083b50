/*
 * A program, library or object file as a profile of its size: stacks of file, section, namespace,
 * template and symbol, which weigh their bytes. The sum is the size of the file and of what it has
 * in memory only (.bss).
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "elf/debug_file.h"
#include "elf/elf_packed.h"
#include "elf/elf_weight.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "profile/frame.h"
#include "profile/metric.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_SECTION "(headers and padding)"

struct reading {
	struct profile *profile;
	size_t column;
	node_id root;
	bool is_go;
	double total;
	struct buf name; /* of a group of symbols */
};

static bool
detect_elf(const char *bytes, size_t len)
{
	return len >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static node_id
child(struct reading *reading, node_id parent, const char *name, size_t len)
{
	const frame_id frame = profile_frame(reading->profile, name, len, FRAME_USER);

	return ctree_child(&reading->profile->tree, parent, frame);
}

static void
add(struct reading *reading, node_id node, uint64_t bytes)
{
	ctree_add(&reading->profile->tree, reading->column, node, (double)bytes);
	reading->total += (double)bytes;
}

/* Sections without memory are for tools: one group of those for debuggers, one for linkers. */
static const char *
group_of_section(const char *section)
{
	static const char *const debugging[] = {
		".debug_", ".zdebug_", ".gdb_index", ".gnu_debug", ".stab"};
	static const char *const linking[] = {".symtab", ".strtab", ".shstrtab", ".rela.", ".rel."};

	for (size_t i = 0; i < sizeof(debugging) / sizeof(debugging[0]); i++)
		if (text_begins(section, debugging[i]))
			return "(debug information)";
	for (size_t i = 0; i < sizeof(linking) / sizeof(linking[0]); i++)
		if (text_begins(section, linking[i]))
			return "(symbol tables)";
	return NULL;
}

static node_id
node_of_section(struct reading *reading, const struct elf_weight *weight)
{
	const char *name = weight->section[0] ? weight->section : "(a section without a name)";
	const char *group = weight->loaded ? NULL : group_of_section(name);
	const node_id parent =
		group ? child(reading, reading->root, group, strlen(group)) : reading->root;

	return child(reading, parent, name, strlen(name));
}

static bool
is_word(char c)
{
	return text_is_letter(c) || text_is_digit(c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/* Whether the '<' at `at` begins the arguments of a template, and is no operator's. */
static bool
opens_arguments(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t begin = at;

	while (begin > 0 && name[begin - 1] == '<')
		begin--;
	return at > 0 && (begin < sizeof(word) - 1 || strncmp(name + begin - (sizeof(word) - 1),
							      word, sizeof(word) - 1) != 0);
}

/* Where the first "::" outside of all brackets is; the name's length without one. */
static size_t
find_scope_end(const char *name)
{
	size_t depth = 0;
	size_t i = 0;

	for (; name[i]; i++) {
		if (name[i] == '(' || (name[i] == '<' && opens_arguments(name, i)))
			depth++;
		else if (depth > 0 && (name[i] == ')' || name[i] == '>'))
			depth--;
		else if (depth == 0 && name[i] == ':' && name[i + 1] == ':' && i > 0)
			return i;
	}
	return i;
}

/* The crate of a method that Rust names by its type: of the first path in "<&alloc::X as Y>::f". */
static struct line
scope_of_impl(const char *name)
{
	const char *end = strstr(name, "::");
	const char *begin = end;

	while (begin && begin > name && is_word(begin[-1]))
		begin--;
	return (struct line){begin ? begin : name, begin ? (size_t)(end - begin) : 0};
}

/* Without words before it, as in "vtable for ns::type". */
static struct line
last_word(const char *name, size_t len)
{
	size_t begin = len;
	size_t depth = 0;

	while (begin > 0 && (depth > 0 || name[begin - 1] != ' ')) {
		begin--;
		depth += name[begin] == ')';
		depth -= depth > 0 && name[begin] == '(';
	}
	return (struct line){name + begin, len - begin};
}

/* The package of a function of Go: up to the first '.' behind the last '/' of its path. */
static struct line
package_of(const char *name)
{
	const char *arguments = strpbrk(name, "([");
	const char *slash = name;

	for (const char *at = name; *at && at != arguments; at++)
		if (*at == '/')
			slash = at;
	const char *dot = strchr(slash, '.');

	return (struct line){name, dot ? (size_t)(dot - name) : 0};
}

/* The outermost namespace, crate or package; empty where there is none. */
static struct line
scope_of(const struct reading *reading, const char *name)
{
	if (reading->is_go)
		return package_of(name);
	if (name[0] == '<')
		return scope_of_impl(name);
	const size_t end = find_scope_end(name);
	struct line scope = {name, 0};

	if (name[end])
		scope = last_word(name, end);
	/* A class that is a template is no namespace. */
	if (memchr(scope.at, '<', scope.len))
		scope.len = 0;
	return scope;
}

/* The end of a template's own name: of its first arguments' bracket; 0 where there is none. */
static size_t
find_arguments(const char *name)
{
	for (size_t i = 1; name[i]; i++) {
		if (name[i] == '(' && !text_begins(name + i, "(anonymous namespace)"))
			return 0;
		if (name[i] == '<')
			return opens_arguments(name, i) ? i : 0;
	}
	return 0;
}

/* Compilers number the static variables of functions, anew in each build: "count.3". */
static size_t
length_of_name(const char *name, bool code)
{
	const size_t len = strlen(name);
	size_t end = len;

	while (!code && end > 0 && text_is_digit(name[end - 1]))
		end--;
	return end > 1 && end < len && name[end - 1] == '.' ? end - 1 : len;
}

static node_id
node_of_symbol(struct reading *reading, node_id section, const char *name, bool code)
{
	const struct line scope = scope_of(reading, name);
	const size_t arguments = reading->is_go || name[0] == '<' ? 0 : find_arguments(name);
	node_id node = section;

	if (scope.len > 0)
		node = child(reading, node, scope.at, scope.len);
	if (arguments > 0) {
		buf_clear(&reading->name);
		buf_put(&reading->name, name, arguments);
		buf_puts(&reading->name, FRAME_TEMPLATE_END);
		node = child(reading, node, buf_text(&reading->name), reading->name.len);
	}
	return child(
		reading, node, name, reading->is_go ? strlen(name) : length_of_name(name, code));
}

static void
take_weight(void *context, const struct elf_weight *weight)
{
	struct reading *reading = context;
	node_id node = node_of_section(reading, weight);

	if (weight->symbol) {
		node = node_of_symbol(reading, node, weight->symbol, weight->code);
	} else if (weight->loaded) {
		buf_clear(&reading->name);
		buf_printf(&reading->name, "(no symbol in %s)", weight->section);
		node = child(reading, node, buf_text(&reading->name), reading->name.len);
	}
	add(reading, node, weight->bytes);
}

static int
read_weights(struct reading *reading, struct elf_image *image, uint64_t file_bytes,
	const char *path, struct err *err)
{
	struct elf_image other = {.fd = -1};
	GElf_Shdr header;
	uint64_t in_sections;
	char *place = mem_printf("%s%s", strchr(path, '/') ? "" : "./", path);
	const bool has_other =
		!elf_image_section(image, NULL, SHT_SYMTAB, &header) &&
		(debug_file_open(&other, image, "", place) || elf_packed_open_mini(&other, image));

	free(place);
	reading->is_go = elf_image_section(image, ".gopclntab", SHT_NULL, &header) != NULL;
	const struct elf_weighed file = {image, has_other ? &other : image, file_bytes, path};
	const int result = elf_weights(&file, take_weight, reading, &in_sections, err);

	if (has_other)
		elf_image_close(&other);
	if (result == 0 && file_bytes > in_sections)
		add(reading, child(reading, reading->root, NO_SECTION, strlen(NO_SECTION)),
			file_bytes - in_sections);
	return result;
}

static int
read_elf(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .column = profile_add_run(profile)};
	const char *name = file_basename(path);
	struct elf_image image;

	(void)options;
	/* libelf takes no constant bytes, and writes to none that it only reads. */
	void *bytes;

	memcpy(&bytes, &view->data, sizeof(bytes));
	if (!elf_image_open_memory(&image, bytes, view->len))
		return err_set(err, ERR_INPUT, "%s: its ELF header is damaged", path);
	image.unpacking = elf_image_unpacking(view->len);
	reading.root = child(&reading, CTREE_ROOT, name, strlen(name));
	const int result = read_weights(&reading, &image, view->len, path, err);

	elf_image_close(&image);
	buf_release(&reading.name);
	if (result < 0)
		return -1;
	struct run *run = &profile->runs[reading.column];

	describe_set(profile, &profile->event, METRIC_SIZE);
	describe_set(profile, &profile->metric, METRIC_SIZE);
	describe_set(profile, &profile->unit, "bytes");
	describe_set(profile, &profile->cost_unit, "bytes");
	run->cost_total = reading.total;
	run->samples = (uint64_t)reading.total;
	return 0;
}

const struct input_format ingest_elf = {
	.name = "ELF",
	.summary = "the size of a program, library or object file by section and symbol",
	.detect = detect_elf,
	.read = read_elf,
};
