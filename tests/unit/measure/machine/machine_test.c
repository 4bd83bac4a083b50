#include "unit.h"

#include "machine/machine.h"

void suite_machine_machine(void);

static const char *
class_of(const char *cpuinfo, const char *event)
{
	static char name[192];
	struct machine machine = {.arch = "x86_64"};

	machine_read_cpuinfo(&machine, cpuinfo);
	machine_class(&machine, event, "", NULL, name, sizeof(name));
	return name;
}

static void
a_nameless_model_gets_family_and_number(void)
{
	static const char text[] = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n"
				   "model\t\t: 2\nmodel name\t: AMD EPYC\nstepping\t: 1\n";
	struct machine machine = {.arch = "x86_64"};

	machine_read_cpuinfo(&machine, text);
	UNIT_STR_EQ(machine.cpu_model, "AMD EPYC (family 26, model 2, stepping 1)");
	UNIT_STR_EQ(class_of(text, "cpu-clock"), "x86_64-amd-epyc-26-2-cpu-clock");
}

static void
the_class_leaves_out_what_is_not_the_kind(void)
{
	UNIT_STR_EQ(class_of("model name\t: AMD EPYC 7763 64-Core Processor\ncpu family\t: 25\n",
			    "cycles"),
		"x86_64-amd-epyc-7763-cycles");
	UNIT_STR_EQ(class_of("model name\t: Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz\n",
			    "cpu-clock"),
		"x86_64-intel-xeon-platinum-8370c-cpu-clock");
	UNIT_STR_EQ(
		class_of("model name\t: AMD Ryzen 7 PRO 5850U with Radeon Graphics\n", "cycles"),
		"x86_64-amd-ryzen-7-pro-5850u-cycles");
	UNIT_STR_EQ(class_of("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "cycles"),
		"x86_64-0x41-0xd0c-cycles");
	UNIT_STR_EQ(class_of("", "cycles"), "x86_64-unknown-cycles");
}

static void
a_class_can_always_name_a_folder(void)
{
	const char *name = class_of("model name\t: ../../etc 1;rm *\n", "cycles:u/x");

	CU_ASSERT_PTR_NULL(strpbrk(name, "/ ;*:"));
	CU_ASSERT(name[0] != '.' && name[0] != '-');
	struct machine machine = {.arch = "../x"};
	char out[192];

	machine_class(&machine, "e", "", NULL, out, sizeof(out));
	CU_ASSERT(out[0] != '.');
	machine_class(&machine, "e", "", "fleet-1", out, sizeof(out));
	UNIT_STR_EQ(out, "fleet-1");
}

static void
a_presented_processor_takes_the_place_of_the_model(void)
{
	struct machine machine = {.arch = "x86_64", .cpu_model = "AMD EPYC 7763"};
	char out[192];

	machine_class(&machine, "callgrind", "avx2-1a2b3c4d", NULL, out, sizeof(out));
	UNIT_STR_EQ(out, "x86_64-avx2-1a2b3c4d-callgrind");
}

static void
this_machine_is_described(void)
{
	struct machine machine;
	struct err err = {0};

	CU_ASSERT_EQUAL(machine_inspect(&machine, &err), 0);
	CU_ASSERT(machine.arch[0] != '\0');
	CU_ASSERT(machine.cpu_model[0] != '\0');
	CU_ASSERT(machine.kernel[0] != '\0');
	CU_ASSERT(machine.cpus >= 1);
	CU_ASSERT(machine.memory_gib > 0);
}

void
suite_machine_machine(void)
{
	static const struct unit_case cases[] = {
		{"a_nameless_model_gets_family_and_number",
			a_nameless_model_gets_family_and_number},
		{"the_class_leaves_out_what_is_not_the_kind",
			the_class_leaves_out_what_is_not_the_kind},
		{"a_class_can_always_name_a_folder", a_class_can_always_name_a_folder},
		{"a_presented_processor_takes_the_place_of_the_model",
			a_presented_processor_takes_the_place_of_the_model},
		{"this_machine_is_described", this_machine_is_described},
		{NULL, NULL},
	};

	unit_suite("machine/machine", cases);
}
