# Tests, included by the top Makefile: `make test`, `make lint`, `make fuzz` and their parts.
#
# Every part prints result lines (`pass|fail|skip KIND NAME: CLAIM`) through tests/suite into
# build/NAME-results, and tests/total ends with the totals.

ASAN := build/asan
FUZZER := build/fuzzer
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# VARIANT=tsan, memcheck, coverage: see the targets of these names.
CFLAGS_VARIANT_tsan := -fsanitize=thread -O1 -g1 -Wno-format-truncation $(UNCONFINED)
CFLAGS_VARIANT_memcheck := -O1 -g $(UNCONFINED)
CFLAGS_VARIANT_coverage := --coverage -fprofile-update=atomic -O0 -g1 $(UNCONFINED)

# VARIANT=fuzzer: clang, libFuzzer and the sanitizers; see `make fuzz`.
CFLAGS_VARIANT_fuzzer := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -O1

# Tests under sanitizers are quicker to compile than to make quick, and so is code that mostly waits for
# other programs; what computes is optimised.
COMPILED_QUICKLY := tests harness/cli harness/commands harness/measure harness/model/spec harness/judge/history
$(addprefix $(ASAN)/,$(addsuffix /%.o,$(COMPILED_QUICKLY))): CFLAGS_VARIANT_asan += -O0

# An access behind the last element of an array is found where the array has no more room.
EXACT := -DMEM_EXACT_BYTES=4096
$(foreach variant,asan memcheck fuzzer,build/$(variant)/harness/base/mem.o): CPPFLAGS += $(EXACT)

# Mutators know the format of a target's input: that of the same name, or another one's.
MUTATOR_condense := perfdata
MUTATOR_timeline := perfdata
mutator = $(or $(MUTATOR_$(1)),$(if $(wildcard tests/fuzz/mutate_$(1).c),$(1)))
FUZZ_NAMES := $(FUZZ_TARGETS:fuzz_%=%)
MUTATORS := $(sort $(foreach name,$(FUZZ_NAMES),$(call mutator,$(name))))
FUZZ_OBJECTS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%.o) $(MUTATORS:%=$(BUILD)/tests/fuzz/mutate_%.o)

# All targets in one program that runs files, for the corpora: linking each takes longer than running it.
# libFuzzer's names have the target's in them there.
ifneq ($(VARIANT),fuzzer)
$(FUZZ_OBJECTS): CPPFLAGS += -DLLVMFuzzerTestOneInput=$(notdir $*)_input -DLLVMFuzzerCustomMutator=$(notdir $*)_input
endif

$(BUILD)/fuzz_list.c: $(FUZZ_TARGETS:%=tests/fuzz/%.c) tests/tests.mk
	@mkdir -p $(@D)
	@{ echo '#include "target.h"'; \
	printf 'int fuzz_%s_input(const uint8_t *, size_t);\n' $(FUZZ_NAMES); \
	printf 'size_t mutate_%s_input(uint8_t *, size_t, size_t, unsigned);\n' $(MUTATORS); \
	echo 'const struct fuzz_target fuzz_targets[] = {'; \
	printf '\t{"%s", fuzz_%s_input, %s},\n' $(foreach name,$(FUZZ_NAMES),$(name) $(name) \
		$(if $(call mutator,$(name)),mutate_$(call mutator,$(name))_input,0)); \
	echo '	{0}};'; } > $@

$(BUILD)/fuzz_list.o: $(BUILD)/fuzz_list.c tests/fuzz/target.h
	$(Q)$(CC) $(CPPFLAGS) -Itests/fuzz $(CFLAGS_ALL) -c -o $@ $<

$(BUILD)/fuzz_corpus: $(FUZZ_OBJECTS) $(BUILD)/tests/fuzz/driver.o $(BUILD)/fuzz_list.o $(OBJECTS)
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Of all objects, the linker takes those that a fuzz target needs.
$(BUILD)/all.a: $(OBJECTS)
	@rm -f $@
	$(Q)ar rcsPT $@ $^

# A fuzz target that fuzzes.
$(BUILD)/libfuzzer/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/all.a
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(foreach name,$(FUZZ_NAMES),$(if $(call mutator,$(name)),$(eval \
	$(BUILD)/libfuzzer/fuzz_$(name): $(BUILD)/tests/fuzz/mutate_$(call mutator,$(name)).o)))

.SECONDARY: $(FUZZ_OBJECTS) $(BUILD)/tests/fuzz/driver.o
-include $(wildcard $(BUILD)/tests/*/*.d)

$(BUILD)/rates_suites.c: tests/tests.mk
	$(call list_suites,$(RATES))

$(BUILD)/rates: $(OBJECTS) $(call suite_objects,$(RATES)) $(BUILD)/tests/unit/unit.o $(BUILD)/rates_suites.o
	$(call say,LINK $@)
	$(Q)$(LINK_UNIT)

JOBS ?= $(shell nproc)

# Both builds side by side, as linking takes one CPU.
.PHONY: build-tests
build-tests:
	@$(MAKE) -j$(JOBS) --no-print-directory VARIANT=asan $(ASAN)/unit $(ASAN)/fuzz_corpus & \
	$(MAKE) -j$(JOBS) --no-print-directory build/profile_run $(BUILD)/rates $(FAULT_INJECT) && \
	$(MAKE) --no-print-directory -s -C workloads && wait $$!

# Tests that only compute take the time in which those that measure wait. A leak ends the unit tests, too.
# What runs in folders of its own takes the release build.
.PHONY: test
test: export GOCACHE ?= $(CURDIR)/build/go-cache
test: ## run all tests: unit and fuzz corpora with sanitizers, bounds, golden, end to end
	@rm -f build/*test-results
	@tests/suite build/test-results build $(MAKE) --no-print-directory build-tests
	@! grep '^fail ' build/test-results
	@{ tests/suite build/unit-test-results unit tests/unit/run $(ASAN)/unit; \
	tests/suite build/unit-test-results rates tests/unit/run $(BUILD)/rates; \
	tests/suite build/unit-test-results fault tests/fault/run --seconds 0.6; \
	} >build/unit-test.log 2>&1 & \
	{ tests/suite build/beside-test-results browser tests/browser/run; \
	tests/suite build/beside-test-results bounds tests/bounds/run; \
	tests/suite build/beside-test-results fuzz tests/fuzz/run corpus $(ASAN)/fuzz_corpus; \
	tests/suite build/beside-test-results golden tests/golden/run; \
	tests/suite build/beside-test-results differential tests/differential; \
	} >build/beside-test.log 2>&1 & \
	tests/suite build/test-results e2e tests/e2e/run; \
	wait; cat build/unit-test.log build/beside-test.log
	@tests/total build/*test-results

.PHONY: times
times: ## show how long each part and case of the last `make test` took
	@tests/times build/*test-results

# Much that is long is done in small parts by `make test`.
.PHONY: thorough
thorough: build/profile_run ## run the end-to-end tests that can do more than they do in `make test`
	@rm -f build/thorough-results
	@THOROUGH=1 tests/suite build/thorough-results e2e tests/e2e/run \
		$$(cd tests/e2e && grep -l THOROUGH ./*_test.sh | sed 's|./||; s|_test.sh||')
	@tests/total build/thorough-results

# A preload that lets calls into the system fail, for tests/fault/run.
FAULT_INJECT := build/fault/inject.so
$(FAULT_INJECT): tests/fault/inject.c tests/fault/inject_calls.c tests/fault/inject.h
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(CPPFLAGS) -std=c11 $(WARNINGS) -O2 -g -fPIC -shared \
		-o $@ $(filter %.c,$^)

.PHONY: faults
faults: build/profile_run $(FAULT_INJECT) ## let every call into the system fail in turn, and kill (FAULTS='OPTIONS CASE...')
	@rm -f build/fault-results
	@tests/suite build/fault-results fault tests/fault/run --kills 100 $(FAULTS)
	@tests/total build/fault-results

.PHONY: golden-update
golden-update: build/profile_run $(UNIT) ## rewrite the expected output of all tests; review the difference
	GOLDEN_UPDATE=1 tests/golden/run
	for suite in $$(grep -lE 'GOLDEN_UPDATE|sample_check_golden' tests/unit/*/*_test.c tests/unit/*/*/*_test.c); do \
		suite=$$(basename $$(dirname $$suite))/$$(basename $$suite); GOLDEN_UPDATE=1 $(UNIT) $${suite%_test.c} || exit 1; done

.PHONY: asan
asan: ## build the program with sanitizers: build/asan/profile_run
	@$(MAKE) --no-print-directory VARIANT=asan $(ASAN)/profile_run

# The suites of what runs in several threads, and of what these share. Some step through code by signals,
# and unwind in the handler.
THREADED := $(filter base/stages ingest/% symbols/% unwind/%,$(UNIT_SUITES))
$(BUILD)/threaded_suites.c: tests/tests.mk
	$(call list_suites,$(THREADED))

$(BUILD)/threaded: $(OBJECTS) $(call suite_objects,$(THREADED)) $(BUILD)/tests/unit/unit.o $(BUILD)/threaded_suites.o
	$(call say,LINK $@)
	$(Q)$(LINK_UNIT)

.PHONY: tsan
tsan: ## run the unit tests of unwinding and naming with ThreadSanitizer
	@$(MAKE) -j$(JOBS) --no-print-directory VARIANT=tsan build/tsan/threaded
	@rm -f build/tsan-results
	@TSAN_OPTIONS=report_signal_unsafe=0 setarch -R tests/suite build/tsan-results unit tests/unit/run build/tsan/threaded
	@tests/total build/tsan-results

.PHONY: soak
soak: build/profile_run ## watch the machine and repeat a gate for half an hour each, and test for growth (SOAK='OPTIONS PART...')
	@rm -f build/soak-results
	@tests/suite build/soak-results soak tests/soak $(SOAK)
	@tests/total build/soak-results

.PHONY: scaling
scaling: build/profile_run ## test that instructions and memory grow with ordinary input (SCALING='JOB...')
	@rm -f build/scaling-results
	@tests/suite build/scaling-results scaling tests/scaling $(SCALING)
	@tests/total build/scaling-results

.PHONY: memcheck
memcheck: ## run the golden cases with valgrind (GOLDEN='CASE...' for some)
	@$(MAKE) -j$(JOBS) --no-print-directory VARIANT=memcheck build/memcheck/profile_run
	@rm -f build/memcheck-results
	@tests/suite build/memcheck-results memcheck tests/memcheck $(GOLDEN)
	@tests/total build/memcheck-results

# Folders of which the tests have to execute 95 % of the lines.
COVERED := compare gate profile ingest
.PHONY: coverage
coverage: ## count the lines that the unit tests and golden cases execute
	@$(MAKE) -j$(JOBS) --no-print-directory VARIANT=coverage build/coverage/unit \
		build/coverage/profile_run
	@find build/coverage -name '*.gcda' -delete
	@rm -f build/coverage-results
	-@tests/unit/run build/coverage/unit >build/coverage/unit.log
	-@PROFILE_RUN=$(CURDIR)/build/coverage/profile_run tests/golden/run >build/coverage/golden.log
	@tests/suite build/coverage-results coverage tests/coverage build/coverage $(COVERED)
	@tests/total build/coverage-results

# Suites that tell a wrong verdict, without those that simulate thousands.
MUTANT_SUITES := $(filter-out %rates %simulation,$(filter baseline/% builds/% compare/% gate/% replay/%,$(UNIT_SUITES)))
MUTANT_TESTS := $(call suite_objects,$(MUTANT_SUITES))
build/mutants/unit_suites.c: tests/tests.mk $(call suite_sources,$(MUTANT_SUITES))
	$(call list_suites,$(MUTANT_SUITES))

build/mutants/flags: $(OBJECTS) $(BUILD)/harness/main.o $(MUTANT_TESTS) $(BUILD)/tests/unit/unit.o \
		build/mutants/unit_suites.c
	@rm -rf build/mutants/tests build/mutants/all.a
	@mkdir -p build/mutants/tests
	@for object in $(MUTANT_TESTS); do \
		cp $$object build/mutants/tests/$$(echo $$object | tr / +); done
	@cp $(BUILD)/tests/unit/unit.o build/mutants/tests/
	@$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o build/mutants/tests/suites.o build/mutants/unit_suites.c
	@cp $(BUILD)/harness/main.o build/mutants/main.o
	@$(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(EXACT) -c -o build/mutants/mem.o harness/base/mem.c
	@ar rcsP build/mutants/all.a $(OBJECTS)
	@echo $(LDLIBS) >build/mutants/libraries
	@echo $(CC) -D_GNU_SOURCE '-DPROFILE_RUN_VERSION="$(VERSION)"' $(INCLUDES) -std=c11 -pthread \
		-fno-omit-frame-pointer >$@

# Which lines each case executes.
build/mutants/executed.json: build/mutants/flags tests/mutants/executed.c $(wildcard tests/golden/*/*)
	@tests/mutants/run --record

.PHONY: mutants
mutants: build/mutants/executed.json ## change the judging code token by token and see whether tests fail (MUTANTS='OPTIONS')
	@rm -f build/mutants-results
	@tests/suite build/mutants-results mutants tests/mutants/run $(MUTANTS)
	@tests/total build/mutants-results

.PHONY: fuzz
fuzz: ## fuzz every target for FUZZ_SECONDS (20) with clang; FUZZ_ONLY=NAME for one of them
	@$(MAKE) --no-print-directory VARIANT=fuzzer CC=$(CLANG) $(FUZZ_TARGETS:%=$(FUZZER)/libfuzzer/%)
	@rm -f build/fuzz-results
	@tests/suite build/fuzz-results fuzz tests/fuzz/run fuzz $(FUZZER)/libfuzzer
	@tests/total build/fuzz-results

# Benchmarks of the program's own functions are linked with its release build, in whatever files these
# are.
BENCH_PROGRAMS := fleet_rates gate_pool inline_names judge_rates judge_speed merge stack_cost \
	trend_marks trend_rates trend_shapes unwind_step
build/bench/functions.a: $(OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcsTP $@ $(OBJECTS)
$(BENCH_PROGRAMS:%=build/bench/%): build/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h) build/bench/functions.a
	@$(CC) $(CPPFLAGS) -Itests/bench $(CFLAGS_ALL) -o $@ $< build/bench/functions.a -lcunit $(LDLIBS)
.PHONY: bench-programs
bench-programs: $(BENCH_PROGRAMS:%=build/bench/%)

.PHONY: bench
bench: build/profile_run ## run the benchmarks of tests/bench; peers are used where they are installed
	@for bench in $(filter-out tests/bench/evidence.sh,$(sort $(wildcard tests/bench/*.sh))); do echo "== $$bench"; \
		PROFILE_RUN=$(CURDIR)/build/profile_run bash $$bench || exit 1; done

.PHONY: evidence
evidence: build/profile_run ## measure what the gate promises and write harness/doc/EVIDENCE.md (SIZE=10, CAMPAIGNS=)
	@PROFILE_RUN=$(CURDIR)/build/profile_run bash tests/bench/evidence.sh $(SIZE)

.PHONY: lint
lint: export LINT_FLAGS = -std=c11 $(CPPFLAGS) $(WARNINGS)
lint: export CLANG := $(CLANG)
lint: ## check style, layers, warnings, scripts, workflows and manual pages (ONLY=CHECK for one)
	@rm -f build/lint-results
	@for check in $(or $(ONLY),$(sort $(notdir $(wildcard tests/lint/check_*)))); do \
		tests/suite build/lint-results lint tests/lint/$$check; done
	@tests/total build/lint-results
