#include "measurement/cpu_choice.h"

#include "base/file.h"
#include "base/mem.h"
#include "code/disassembler.h"
#include "code/image.h"
#include "ingest/callgrind_executed.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* At most so many bytes of a function without a symbol are decoded. */
#define UNNAMED_MAX 4096

/* Whether a file is part of the C library, or no file. */
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

/*
 * Whether the C library has a function of this name that asks for the CPU: static programs contain
 * it.
 */
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

/* Whether decoding the code from `address` on finds a CPUID at `wanted`. */
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
		/* Without a symbol, the function is taken to end here. */
		if (!has_symbol && (insn->id == X86_INS_RET || insn->id == X86_INS_JMP))
			return false;
	}
	return false;
}

/* The search in one file. */
struct cpuid_search {
	const struct callgrind_executed *all;
	struct disassembler *disassembler;
	struct code_image image;
	str_id object;
};

/* Whether a function that was executed has the CPUID at `wanted`. */
static bool
is_executed(struct cpuid_search *search, const struct code_section *section, uint64_t wanted)
{
	struct code_symbol symbol;
	const bool named = code_image_symbol(&search->image, wanted, &symbol);
	const uint64_t start = named ? wanted - symbol.offset : 0;

	for (size_t i = 0; i < search->all->functions.count; i++) {
		const char *name = callgrind_executed_name(search->all, i);

		if (callgrind_executed_object(search->all, i) != search->object)
			continue;
		if (named && strcmp(name, symbol.name) == 0 && !is_c_library(name) &&
			decodes_to_cpuid(search->disassembler, section, start, wanted, true))
			return true;
		if (strncmp(name, "0x", 2) != 0)
			continue;
		const uint64_t address = strtoull(name, NULL, 16);

		if (address >= section->address && address <= wanted &&
			wanted - address < UNNAMED_MAX &&
			decodes_to_cpuid(search->disassembler, section, address, wanted, false))
			return true;
	}
	return false;
}

/* Whether an executed function in the section has a CPUID. */
static bool
section_chooses(struct cpuid_search *search, const struct code_section *section)
{
	static const unsigned char cpuid[] = {0x0f, 0xa2};
	const unsigned char *at = section->bytes;
	const unsigned char *const end = at ? at + section->size : NULL;

	if (!at || !section->code)
		return false;
	while ((at = memmem(at, (size_t)(end - at), cpuid, sizeof(cpuid)))) {
		const uint64_t address = section->address + (uint64_t)(at - section->bytes);

		if (is_executed(search, section, address))
			return true;
		at++;
	}
	return false;
}

/* Whether an executed function in the file has a CPUID. */
static bool
file_chooses(const struct callgrind_executed *all, str_id object, struct disassembler *disassembler)
{
	struct cpuid_search search = {.all = all, .disassembler = disassembler, .object = object};
	struct err ignored = {0};
	bool found = false;

	if (code_image_open(&search.image, strtab_str(&all->texts, object), &ignored) < 0)
		return false;
	for (size_t i = 0; i < search.image.nsections && !found; i++)
		found = search.image.machine == EM_X86_64 &&
			section_chooses(&search, &search.image.sections[i]);
	code_image_close(&search.image);
	return found;
}

void
cpu_choice_find(const char *capture, struct buf *files)
{
	struct disassembler *disassembler = disassembler_open(EM_X86_64);
	struct callgrind_executed all;
	struct err ignored = {0};

	if (disassembler && callgrind_executed_read(&all, capture, &ignored) == 0) {
		bool *seen = mem_zalloc(all.texts.nentries + 1, sizeof(*seen));

		for (size_t i = 0; i < all.functions.count; i++) {
			const str_id object = callgrind_executed_object(&all, i);
			const char *path = strtab_str(&all.texts, object);

			if (seen[object])
				continue;
			seen[object] = true;
			if (!is_left_out(path) && file_chooses(&all, object, disassembler))
				buf_printf(files, "%s\n", file_basename(path));
		}
		free(seen);
		callgrind_executed_release(&all);
	}
	disassembler_close(disassembler);
}
