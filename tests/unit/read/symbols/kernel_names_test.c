#include "symbols/symbols_internal.h"

#include "unit.h"

#include <string.h>
#include <sys/wait.h>

void suite_symbols_kernel_names(void);

static const char *
kernel_names_name_at(struct kernel_names *kernel, uint64_t address)
{
	struct symtab_entry *entry = symtab_find(&kernel->tab, address);

	return entry ? entry->name : "";
}

static const char *
kernel_names_module_at(struct kernel_names *kernel, uint64_t address)
{
	const struct symtab_entry *entry = symtab_find(&kernel->tab, address);

	return entry && entry->module ? entry->module : "";
}

static void
test_lines(void)
{
	static const char text[] = "0000000000001000 A per_cpu\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000200 r rodata\n"
				   "ffffffffc0000000 t init_it\t[ext4]\n"
				   "broken\n"
				   "ffffffffc0000040 t last_of_ext4\t[ext4]\n"
				   "ffffffffc0100000 t other\t[xfs]";
	struct kernel_names kernel;

	kernel = (struct kernel_names){0};
	kernel_names_parse(&kernel, text, strlen(text));
	CU_ASSERT(kernel.readable);
	CU_ASSERT_EQUAL(kernel.text, UINT64_C(0xffffffff81000000));
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffff810000ff)), "_text");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffff81000250)), "helper");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, 0x1000), "");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffffc0000041)), "last_of_ext4");
	UNIT_STR_EQ(kernel_names_name_at(&kernel, UINT64_C(0xffffffffc0080000)), "");
	UNIT_STR_EQ(kernel_names_module_at(&kernel, UINT64_C(0xffffffffc0100000)), "[xfs]");
	kernel_names_release(&kernel);
}

static void
test_hidden(void)
{
	static const char text[] = "0000000000000000 T _text\n0000000000000000 T other\n";
	struct kernel_names kernel;

	kernel = (struct kernel_names){0};
	kernel_names_parse(&kernel, text, strlen(text));
	CU_ASSERT_FALSE(kernel.readable);
	kernel_names_release(&kernel);
}

static const struct unit_case cases[] = {
	{"code_symbols_are_taken_and_modules_keep_apart", test_lines},
	{"hidden_addresses_give_no_names", test_hidden},
	{NULL, NULL},
};

void
suite_symbols_kernel_names(void)
{
	unit_suite("symbols/kernel_names", cases);
}
