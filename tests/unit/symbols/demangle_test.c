#include "symbols/demangle.h"

#include "unit.h"

#include <stdlib.h>

void suite_symbols_demangle(void);

static void
expect(const char *mangled, const char *expected)
{
	char *text = demangle(mangled);

	CU_ASSERT_PTR_NOT_NULL(text);
	if (text)
		UNIT_STR_EQ(text, expected);
	free(text);
}

static void
test_plain(void)
{
	CU_ASSERT_PTR_NULL(demangle("main"));
	CU_ASSERT_PTR_NULL(demangle("_Zwrong"));
	CU_ASSERT_PTR_NULL(demangle(""));
}

static void
test_parameters(void)
{
	if (!demangle_works()) {
		unit_skip("libstdc++.so.6 is not installed");
		return;
	}
	expect("_Z3fooi", "foo");
	expect("_ZNK2ns3Box3runERKSt6vectorIiSaIiEE", "ns::Box::run");
	expect("_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon");
	expect("_ZNK2ns2OpclEii", "ns::Op::operator()");
	expect("_ZNK2ns2OpcvbEv", "ns::Op::operator bool");
	expect("_Znwm", "operator new");
	expect("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
	expect("_Z3fooi.constprop.0", "foo");
}

static void
test_return_type(void)
{
	if (!demangle_works()) {
		unit_skip("libstdc++.so.6 is not installed");
		return;
	}
	expect("_ZN2ns3addIiEEvT_", "ns::add<int>");
	expect("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		"std::operator<< <std::char_traits<char> >");
}

static void
test_special(void)
{
	if (!demangle_works()) {
		unit_skip("libstdc++.so.6 is not installed");
		return;
	}
	expect("_ZTVN2ns2OpE", "vtable for ns::Op");
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
}

void
suite_symbols_demangle(void)
{
	static const struct unit_case cases[] = {
		{"what_is_not_mangled_is_left_alone", test_plain},
		{"parameters_and_qualifiers_are_cut_off", test_parameters},
		{"return_types_of_templates_are_cut_off", test_return_type},
		{"tables_keep_their_words_and_rust_loses_its_hash", test_special},
		{NULL, NULL},
	};

	unit_suite("symbols/demangle", cases);
}
