#include "elf/call_site.h"

#include "unit.h"

#include <elf.h>

void suite_elf_call_site(void);

#define ENDS(text) call_site_ends(EM_X86_64, (const unsigned char *)(text), sizeof(text) - 1)

static void
test_direct(void)
{
	CU_ASSERT(ENDS("\xe8\x10\x20\x30\x40"));
	CU_ASSERT(ENDS("\x90\x90\xe8\xfb\xff\xff\xff"));
	CU_ASSERT(ENDS("\x66\x66\x48\xe8\x10\x20\x30\x40")); /* as for __tls_get_addr */
}

static void
test_indirect(void)
{
	CU_ASSERT(ENDS("\xff\xd0"));                     /* call *%rax */
	CU_ASSERT(ENDS("\x41\xff\xd4"));                 /* call *%r12 */
	CU_ASSERT(ENDS("\x3e\xff\xd0"));                 /* notrack call *%rax */
	CU_ASSERT(ENDS("\xff\x10"));                     /* call *(%rax) */
	CU_ASSERT(ENDS("\xff\x50\x18"));                 /* call *0x18(%rax) */
	CU_ASSERT(ENDS("\xff\x90\x00\x01\x00\x00"));     /* call *0x100(%rax) */
	CU_ASSERT(ENDS("\xff\x15\x10\x20\x30\x40"));     /* call *0x40302010(%rip) */
	CU_ASSERT(ENDS("\xff\x14\xc3"));                 /* call *(%rbx,%rax,8) */
	CU_ASSERT(ENDS("\xff\x54\x24\x08"));             /* call *8(%rsp) */
	CU_ASSERT(ENDS("\xff\x94\x24\x80\x00\x00\x00")); /* call *0x80(%rsp) */
	CU_ASSERT(ENDS("\xff\x14\xc5\x10\x20\x30\x40")); /* call *0x40302010(,%rax,8) */
	CU_ASSERT(ENDS("\x41\xff\x94\x24\x80\x00\x00\x00"));
}

static void
test_others(void)
{
	CU_ASSERT_FALSE(ENDS(""));
	CU_ASSERT_FALSE(ENDS("\xc3"));
	CU_ASSERT_FALSE(ENDS("\x90\x90\x90\x90\x90\x90\x90"));
	CU_ASSERT_FALSE(ENDS("\xe9\x10\x20\x30\x40")); /* jmp */
	CU_ASSERT_FALSE(ENDS("\xff\xe0"));             /* jmp *%rax */
	CU_ASSERT_FALSE(ENDS("\xff\xd8"));             /* far call: no such encoding */
	CU_ASSERT_FALSE(ENDS("\xff\x30"));             /* push (%rax) */
	CU_ASSERT_FALSE(ENDS("\x66\x0f\x1f\x84\x00\x00\x00"));
}

static void
test_cut_short(void)
{
	CU_ASSERT_FALSE(ENDS("\x10\x20\x30\x40"));
	CU_ASSERT_FALSE(ENDS("\xff"));
	CU_ASSERT_FALSE(ENDS("\xff\x14"));                 /* its SIB byte would follow */
	CU_ASSERT_FALSE(ENDS("\xff\x50"));                 /* its displacement would follow */
	CU_ASSERT_FALSE(ENDS("\xe8\x10\x20\x30\x40\x90")); /* the call ended one byte before */
	CU_ASSERT_FALSE(ENDS("\xff\xd0\x90"));
}

#define ENDS_AARCH64(text) \
	call_site_ends(EM_AARCH64, (const unsigned char *)(text), sizeof(text) - 1)

static void
call_site_test_aarch64(void)
{
	CU_ASSERT(ENDS_AARCH64("\x0e\x01\x00\x94"));                 /* bl */
	CU_ASSERT(ENDS_AARCH64("\xf4\xff\xff\x97"));                 /* bl, backwards */
	CU_ASSERT(ENDS_AARCH64("\x1f\x20\x03\xd5\x20\x00\x3f\xd6")); /* nop; blr x1 */
	CU_ASSERT(ENDS_AARCH64("\x22\x08\x3f\xd7"));                 /* blraa x1, x2 */
	CU_ASSERT(ENDS_AARCH64("\x3f\x0c\x3f\xd6"));                 /* blrabz x1 */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xa7\xff\xff\x17"));           /* b */
	CU_ASSERT_FALSE(ENDS_AARCH64("\x20\x02\x1f\xd6"));           /* br x17 */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xc0\x03\x5f\xd6"));           /* ret */
	CU_ASSERT_FALSE(ENDS_AARCH64("\xff\x0b\x5f\xd6"));           /* retaa */
	CU_ASSERT_FALSE(ENDS_AARCH64("\x0e\x01\x00\x94\x1f\x20\x03\xd5"));
	CU_ASSERT_FALSE(ENDS_AARCH64("\x01\x00\x94"));
	CU_ASSERT_FALSE(ENDS_AARCH64(""));
}

static const struct unit_case cases[] = {
	{"a_direct_call_is_seen_with_and_without_prefixes", test_direct},
	{"every_form_of_an_indirect_call_is_seen", test_indirect},
	{"jumps_padding_and_returns_are_no_calls", test_others},
	{"a_call_must_end_at_the_address_itself", test_cut_short},
	{"calls_of_aarch64_are_seen", call_site_test_aarch64},
	{NULL, NULL},
};

void
suite_elf_call_site(void)
{
	unit_suite("elf/call_site", cases);
}
