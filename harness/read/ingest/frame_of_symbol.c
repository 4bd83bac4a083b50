#include "ingest/frame_of_symbol.h"

#include "base/buf.h"
#include "base/file.h"
#include "elf/elf_image.h"
#include "symbols/module.h"

#include <string.h>

/* The frame of code without a name: its module's name in brackets, even if the file is gone. */
static frame_id
unnamed_frame(struct profile *profile, const char *module, enum frame_kind kind)
{
	struct buf name = {0};

	if (!module)
		return profile_frame(profile, "[unknown]", strlen("[unknown]"), kind);
	if (module[0] == '[')
		return profile_frame(profile, module, strlen(module), kind);
	const char *file = file_basename(module);
	size_t before = (size_t)(file - module);

	buf_printf(&name, "[%.*s]", (int)(module_file_path_len(module) - before), file);

	frame_id frame = profile_frame(profile, buf_text(&name), name.len, kind);

	buf_release(&name);
	return frame;
}

/* Fills in the attributes of a frame that were not known. */
static void
describe_frame(struct profile *profile, frame_id id, const struct symbol *symbol,
	const struct symbol_frame *from)
{
	struct frame *frame = &profile->frames.frames[id];

	if (frame->module == 0 && symbol->module) {
		frame->module = strtab_intern_str(&profile->strings, symbol->module);
		if (symbol->build_id) {
			char digits[BUILD_ID_TEXT_SIZE];

			build_id_text(symbol->build_id, digits);
			frame->build_id = strtab_intern_str(&profile->strings, digits);
		}
	}
	if (frame->file == 0 && from->file) {
		frame->file = strtab_intern_str(&profile->strings, from->file);
		frame->line = from->line;
	}
}

frame_id
frame_of_symbol(struct profile *profile, const struct symbol *symbol,
	const struct symbol_frame *from, bool kernel)
{
	enum frame_kind kind = from->inlined                  ? FRAME_INLINED
			       : kernel                       ? FRAME_KERNEL
			       : symbol->source == SYMBOL_JIT ? FRAME_JIT
							      : FRAME_USER;
	frame_id id = from->name && from->name[0]
			      ? frame_intern_at(&profile->frames,
					strtab_intern_str(&profile->strings, from->name), kind,
					from->at_line)
			      : unnamed_frame(profile, symbol->module, kind);

	describe_frame(profile, id, symbol, from);
	return id;
}
