#include "dwarf/inlines.h"
#include "symbols/module.h"
#include "symbols/spaces.h"
#include "symbols/symbolizer.h"

#include <string.h>

/*
 * Whether a return address at the very start of a symbol belongs to that symbol: the kernel lets a
 * signal handler return to code that was never called, and its own assembler code goes on behind
 * labels.
 */
static bool
is_return_target(const struct symbol *symbol, bool kernel)
{
	return symbol->name && symbol->offset == 0 &&
	       ((kernel && symbol->label) || strcmp(symbol->name, "__restore_rt") == 0 ||
		       strcmp(symbol->name, "__kernel_rt_sigreturn") == 0);
}

/* Whether the code before `address` ends with a call; false where it cannot be read. */
static bool
follows_call(const struct space *space, uint64_t address)
{
	struct mapping mapping;

	return space && space_mapping(space, address - 1, &mapping) && mapping.file->module &&
	       module_call_ends_at(
		       mapping.file->module, address - mapping.start + mapping.file_offset);
}

/*
 * The symbol of a return address; returns the address whose symbol it is: the call's or `address`.
 */
static uint64_t
resolve_call(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, struct symbol *symbol)
{
	struct symbol call;

	symbolizer_resolve(symbolizer, space, address, kernel, symbol);
	if (symbol->same_before)
		return address - 1;
	if (address == 0 || is_return_target(symbol, kernel))
		return address;
	symbolizer_resolve(symbolizer, space, address - 1, kernel, &call);
	/* Where the call has no name, take the symbol at the address. */
	if (!call.name)
		return address;
	if (call.name == symbol->name && call.offset + 1 == symbol->offset)
		return address - 1;
	if (!kernel && !follows_call(space, address))
		return address;
	*symbol = call;
	return address - 1;
}

/*
 * The module in which to look up functions inlined at `address`, which has been resolved before,
 * and the offset in its file. NULL where there is none, or inlining is off.
 */
static struct module *
inlining_module(const struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	uint64_t *offset)
{
	bool wanted = space && symbolizer_has_inlining(symbolizer);
	struct mapping mapping;

	if (!wanted || !space_mapping(space, address, &mapping) ||
		mapping.file->kind != MAPPING_FILE)
		return NULL;
	*offset = address - mapping.start + mapping.file_offset;
	return mapping.file->module;
}

/*
 * Fills `frames` with the functions at `offset` of the module's file, inlined ones included;
 * returns how many.
 */
static size_t
take_inlined(struct module *module, uint64_t offset, struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	struct inline_frame found[SYMBOL_FRAMES_MAX];
	size_t count = module_inlined(module, offset, found, SYMBOL_FRAMES_MAX);

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct symbol_frame){
			.name = found[i].name,
			.file = found[i].file,
			.line = found[i].line,
			.at_line = found[i].at_line,
			.inlined = i + 1 < count,
		};
	return count;
}

size_t
symbolizer_frames(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, bool exact, struct symbol *symbol,
	struct symbol_frame frames[SYMBOL_FRAMES_MAX])
{
	struct module *module = NULL;
	uint64_t offset;
	size_t count = 0;

	if (exact)
		symbolizer_resolve(symbolizer, space, address, kernel, symbol);
	else
		address = resolve_call(symbolizer, space, address, kernel, symbol);
	/* Without a symbol there is no code that a compiler made, but perhaps a JIT's or a stub. */
	if (symbol->source == SYMBOL_ELF || symbol->source == SYMBOL_DWARF)
		module = inlining_module(symbolizer, space, address, &offset);
	if (module)
		count = take_inlined(module, offset, frames);
	if (count == 0)
		frames[count++] = (struct symbol_frame){0};
	/* The symbol table's name is the one that stacks without inlining show. */
	frames[count - 1].name = symbol->name;
	return count;
}
