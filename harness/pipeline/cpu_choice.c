#include "pipeline/cpu_choice.h"

#include "base/file.h"
#include "base/file_view.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text_map.h"
#include "code/disassembler.h"
#include "code/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Code without a symbol is decoded up to here. */
#define UNNAMED_MAX 4096
/* So many files are named. */
#define NAMED_MAX 4

/* A function that was executed. */
struct executed {
	str_id object;
	str_id name;
};

struct functions_executed {
	struct strtab texts;
	struct text_map objects; /* by the number that a file gives them */
	struct executed *list;
	size_t count;
	size_t capacity;
};

/* "(12) text", "(12)" or "text". */
static str_id
take_object(struct functions_executed *all, const char *at, const char *end)
{
	const char *close = *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
	const char *name = close ? close + 1 : at;
	struct text_entry *entry =
		close ? text_map_find(&all->objects, at, (size_t)(close - at)) : NULL;

	while (name < end && *name == ' ')
		name++;
	if (name == end)
		return entry ? entry->value : 0;
	const str_id id = strtab_intern(&all->texts, name, (size_t)(end - name));

	if (entry)
		entry->value = id;
	else if (close)
		text_map_add(&all->objects, at, (size_t)(close - at), id);
	return id;
}

/* The function at the head of "(12) name'(13)'(14)"; one that is only a number is known. */
static void
take_function(struct functions_executed *all, str_id object, const char *at, const char *end)
{
	const char *close = *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
	const char *name = close && close + 1 < end ? close + 2 : at;

	if (object == 0 || name >= end || *name == '(')
		return;
	const char *stop = memchr(name, '\'', (size_t)(end - name));
	const struct executed executed = {
		object, strtab_intern(&all->texts, name, (size_t)((stop ? stop : end) - name))};

	all->list = mem_grow(all->list, &all->capacity, all->count + 1, sizeof(*all->list));
	all->list[all->count++] = executed;
}

static bool
begins(const char *at, const char *end, const char *key)
{
	const size_t len = strlen(key);

	return (size_t)(end - at) > len && memcmp(at, key, len) == 0;
}

/* "ob=", "fn=", "cob=" and "cfn=" of callgrind's format. */
static void
take_line(struct functions_executed *all, str_id *object, str_id *called, const char *at,
	const char *end)
{
	if (begins(at, end, "ob="))
		*object = take_object(all, at + 3, end);
	else if (begins(at, end, "cob="))
		*called = take_object(all, at + 4, end);
	else if (begins(at, end, "fn="))
		take_function(all, *object, at + 3, end);
	if (!begins(at, end, "cfn="))
		return;
	take_function(all, *called ? *called : *object, at + 4, end);
	*called = 0;
}

static void
read_functions(struct functions_executed *all, const struct file_view *view)
{
	const char *const last = view->data + view->len;
	str_id object = 0;
	str_id called = 0;

	for (const char *at = view->data; at && at < last;) {
		const char *newline = memchr(at, '\n', (size_t)(last - at));
		const char *end = newline ? newline : last;

		/* A number stands for another name in each part. */
		if (begins(at, end, "version: "))
			text_map_release(&all->objects);
		if (*at == 'o' || *at == 'f' || *at == 'c')
			take_line(all, &object, &called, at, end);
		at = newline ? newline + 1 : NULL;
	}
}

static bool
is_left_out(const char *path)
{
	static const char *const names[] = {
		"ld-linux", "ld-musl", "ld64", "libc.so", "libc-2.", "libgcc_s.so", "vgpreload_"};
	const char *name = file_basename(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return path[0] != '/';
}

/* A static program has the C library's own look at the CPU in functions of these names. */
static bool
is_c_library(const char *name)
{
	static const char *const names[] = {"init_cpu_features", "__libc_init_cpu_features",
		"update_active", "get_common_cache_info", "handle_intel", "intel_check_word",
		"get_extended_indices", "dl_init_cacheinfo", "init_cacheinfo", "__libc_start_main",
		"_dl_relocate_static_pie", "__libc_start_call_main", "_dl_non_dynamic_init",
		"cpu_features", "__cache_sysconf", "(below main)"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Whether the instruction at `wanted` is a CPUID of the code that begins at `address`. */
static bool
decodes_to_cpuid(struct disassembler *disassembler, const struct code_section *section,
	uint64_t address, uint64_t wanted, bool has_symbol)
{
	size_t left = section->address + section->size - address;
	const uint8_t *code = section->bytes + (address - section->address);

	while (address <= wanted && disassembler_next(disassembler, &code, &left, &address)) {
		const cs_insn *insn = disassembler->insn;

		if (insn->id == X86_INS_CPUID && insn->address == wanted)
			return true;
		/* The end of code of which no more is known. */
		if (!has_symbol && (insn->id == X86_INS_RET || insn->id == X86_INS_JMP))
			return false;
	}
	return false;
}

/* The file that is looked at. */
struct look {
	const struct functions_executed *all;
	struct disassembler *disassembler;
	struct code_image image;
	str_id object;
};

/* Whether a function that was executed has the CPUID at `wanted`. */
static bool
is_executed(struct look *look, const struct code_section *section, uint64_t wanted)
{
	struct code_symbol symbol;
	const bool named = code_image_symbol(&look->image, wanted, &symbol);
	const uint64_t start = named ? wanted - symbol.offset : 0;

	for (size_t i = 0; i < look->all->count; i++) {
		const struct executed *executed = &look->all->list[i];
		const char *name = strtab_str(&look->all->texts, executed->name);

		if (executed->object != look->object)
			continue;
		if (named && strcmp(name, symbol.name) == 0 && !is_c_library(name) &&
			decodes_to_cpuid(look->disassembler, section, start, wanted, true))
			return true;
		if (strncmp(name, "0x", 2) != 0)
			continue;
		const uint64_t address = strtoull(name, NULL, 16);

		if (address >= section->address && address <= wanted &&
			wanted - address < UNNAMED_MAX &&
			decodes_to_cpuid(look->disassembler, section, address, wanted, false))
			return true;
	}
	return false;
}

static bool
section_chooses(struct look *look, const struct code_section *section)
{
	static const unsigned char cpuid[] = {0x0f, 0xa2};
	const unsigned char *at = section->bytes;
	const unsigned char *const end = at ? at + section->size : NULL;

	if (!at || !section->code)
		return false;
	while ((at = memmem(at, (size_t)(end - at), cpuid, sizeof(cpuid)))) {
		const uint64_t address = section->address + (uint64_t)(at - section->bytes);

		if (is_executed(look, section, address))
			return true;
		at++;
	}
	return false;
}

static bool
chooses(const struct functions_executed *all, str_id object, struct disassembler *disassembler)
{
	struct look look = {.all = all, .disassembler = disassembler, .object = object};
	struct err ignored = {0};
	bool found = false;

	if (code_image_open(&look.image, strtab_str(&all->texts, object), &ignored) < 0)
		return false;
	for (size_t i = 0; i < look.image.nsections && !found; i++)
		found = look.image.machine == EM_X86_64 &&
			section_chooses(&look, &look.image.sections[i]);
	code_image_close(&look.image);
	return found;
}

/* Appends the names of the files that choose; how many there are. */
static size_t
put_names(
	const struct functions_executed *all, struct disassembler *disassembler, struct buf *names)
{
	bool *seen = mem_zalloc(all->texts.nentries + 1, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++) {
		const str_id object = all->list[i].object;
		const char *path = strtab_str(&all->texts, object);

		if (seen[object] || is_left_out(path))
			continue;
		seen[object] = true;
		if (chooses(all, object, disassembler) && n++ < NAMED_MAX)
			buf_printf(names, "%s%s", n > 1 ? ", " : "", file_basename(path));
	}
	if (n > NAMED_MAX)
		buf_printf(names, " and %zu more", n - NAMED_MAX);
	free(seen);
	return n;
}

void
cpu_choice_put(const char *capture, struct buf *text)
{
	struct disassembler *disassembler = disassembler_open(EM_X86_64);
	struct functions_executed all = {0};
	struct err ignored = {0};
	struct buf names = {0};
	struct file_view view;

	if (!disassembler)
		return;
	if (file_view_open(&view, capture, &ignored) == 0) {
		strtab_init(&all.texts);
		read_functions(&all, &view);
		const size_t n = put_names(&all, disassembler, &names);

		if (n > 0)
			buf_printf(text,
				"with the instruction cpuid %s choose%s by the CPU: counts are of the "
				"code for the CPU that valgrind presents",
				buf_text(&names), n == 1 ? "s" : "");
		file_view_close(&view);
		strtab_release(&all.texts);
		text_map_release(&all.objects);
		free(all.list);
	}
	buf_release(&names);
	disassembler_close(disassembler);
}
