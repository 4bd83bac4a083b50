/* Any text as stacks of BPF tools. */
#include "format_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	format_input_read(&ingest_bpf, data, size);
	return 0;
}
