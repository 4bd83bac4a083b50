# profile_run: `make help` lists the targets. Everything is built into build/.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang

# V=1 shows the commands.
V ?= 0
Q := $(if $(filter 0,$(V)),@)
say = $(if $(filter 0,$(V)),@echo '  $(1)')

comma := ,

# VARIANT=asan builds the same with sanitizers into build/asan.
VARIANT ?= release
BUILD := build/$(VARIANT)

# Headers are included from the root of their group: "gate/looks.h" is harness/judge/gate/looks.h.
GROUPS := commands show judge measure read model
INCLUDES := -Iharness $(GROUPS:%=-Iharness/%) -Itests/unit $(GROUPS:%=-Itests/unit/%)
CPPFLAGS := -D_GNU_SOURCE -DPROFILE_RUN_VERSION='"$(VERSION)"' $(INCLUDES)
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wformat=2 -Wundef -Wswitch-enum
CFLAGS ?= -O2 -g
# The same bytes in whatever folder it is built.
CFLAGS_ALL = -std=c11 -pthread $(WARNINGS) -fno-omit-frame-pointer -ffile-prefix-map=$(CURDIR)=. \
	$(CFLAGS) $(CFLAGS_VARIANT)

# Most calls use few of the libraries, and loading all of them takes as long as drawing a flame graph
# of a thousand stacks. So those that the system has a static library of are linked statically;
# SHARED=1 links all dynamically. libdw and libelf are of one kind: they share what others do not see.
SHARED ?= 0
static = $(and $(filter 0,$(SHARED)),$(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)))
library = $(if $(call static,$(1)),-l:lib$(1).a,-l$(1))
# Whether that works is tried, once.
libdw = $(eval libdw := $(or $(and $(filter 0,$(SHARED)),$(shell .ci/static-dw '$(CC)')),-ldw -lelf))$(libdw)
LDLIBS = $(libdw) $(foreach name,yaml cjson nettle zstd z,$(call library,$(name))) -liberty -lm -pthread

CFLAGS_VARIANT_release :=
# For variants whose runtime looks into the process or writes files at its end (cli/confine.c).
UNCONFINED := -DPROFILE_RUN_UNCONFINED
# The sanitizers' own instrumentation makes gcc see null formats where there are none.
CFLAGS_VARIANT_asan := -fsanitize=address,undefined -fno-sanitize-recover=all -Og -g1 \
	-Wno-format-truncation $(UNCONFINED)
CFLAGS_VARIANT = $(CFLAGS_VARIANT_$(VARIANT))
# Most of starting a test program would be relocation.
LDFLAGS_VARIANT_asan := -no-pie
LDFLAGS += $(LDFLAGS_VARIANT_$(VARIANT))

SHIM_SOURCES := $(sort $(wildcard harness/measure/shim/*.c))
SOURCES := $(filter-out $(SHIM_SOURCES),$(sort $(wildcard harness/*/*.c harness/*/*/*.c)))
ASSETS := $(wildcard harness/show/flamegraph/assets/* harness/show/output/page/*)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(patsubst %.S,$(BUILD)/%.o,$(wildcard harness/*/*.S harness/*/*/*.S))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*/*_test.c tests/unit/*/*/*_test.c))
# A suite is named by its folder and file, "gate/looks"; and the sources of suites.
UNIT_SUITES := $(foreach source,$(UNIT_SOURCES),$(notdir $(patsubst %/,%,$(dir $(source))))/$(patsubst %_test.c,%,$(notdir $(source))))
# Tens of thousands of simulated comparisons: `make test` runs these suites without sanitizers, as what they
# call has suites that compute less.
RATES := gate/staged_rates compare/rates gate/judge_simulation
ifeq ($(VARIANT),asan)
UNIT_SUITES := $(filter-out $(RATES),$(UNIT_SUITES))
endif
suite_sources = $(foreach suite,$(1),$(filter %/$(suite)_test.c,$(UNIT_SOURCES)))
suite_objects = $(patsubst %.c,$(BUILD)/%.o,$(call suite_sources,$(1)))
UNIT_OBJECTS := $(call suite_objects,$(UNIT_SUITES))
PROGRAM := $(BUILD)/profile_run
UNIT := $(BUILD)/unit

.DEFAULT_GOAL := all

# The compiler says "no such file" a hundred times; this says once which package has it.
build/packages-build build/packages-test: build/packages-%: .ci/missing
	@.ci/missing $* '$(CC)'
	@mkdir -p build
	@touch $@

.PHONY: all
all: build/profile_run ## build the program: build/profile_run

build/profile_run: $(PROGRAM)
	@ln -sf $(VARIANT)/profile_run $@

$(PROGRAM): $(OBJECTS) $(BUILD)/harness/main.o
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What the compiler says is kept beside the object: `make lint` wants all of it to be empty.
$(BUILD)/%.o: %.c | build/packages-build
	$(call say,CC   $<)
	$(Q)[ -d $(@D) ] || mkdir -p $(@D); \
		$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $< 2>$(@:.o=.log); \
		status=$$?; [ ! -s $(@:.o=.log) ] || cat $(@:.o=.log) >&2; exit $$status

$(BUILD)/%.o: %.S $(ASSETS)
	@mkdir -p $(@D)
	$(call say,CC   $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(addprefix -Wa$(comma),$(INCLUDES)) -c -o $@ $<

# What runs in profiled programs is a separate shared object, which the program holds: without
# sanitizers, hardening or debug information, whatever the program is built with. It is not linked
# with the C library, so that it can be loaded with any version of it, nor with libgcc, which has
# AArch64's atomic functions.
SHIM := $(BUILD)/harness/measure/shim
SHIM_OBJECTS := $(SHIM_SOURCES:%.c=$(BUILD)/%.o)
SHIM_CFLAGS := -O2 -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector \
	-fno-builtin-malloc -fasynchronous-unwind-tables -U_FORTIFY_SOURCE \
	$(if $(filter aarch64%,$(shell $(CC) -dumpmachine)),-mno-outline-atomics)

$(SHIM_OBJECTS): CFLAGS_ALL = -std=c11 $(WARNINGS) -fno-omit-frame-pointer \
	-ffile-prefix-map=$(CURDIR)=. $(SHIM_CFLAGS)

$(SHIM)/alloc.so: $(SHIM_OBJECTS)
	$(call say,LINK $@)
	$(Q)$(CC) -shared -nostdlib -Wl,-z,now,-z,noexecstack,-z,relro,--build-id=none,-s \
		-Wl,-soname,profile_run_alloc.so -o $@ $^

$(SHIM)/embedded.o: $(SHIM)/alloc.so
$(SHIM)/embedded.o: CFLAGS_ALL += -Wa,-I$(SHIM)

# Programs that profile_run carries, of no library and a few pages of memory: the launcher of measured
# programs (harness/measure/process/launch.h), and one that prints the features of the processor
# (harness/measure/capture/presented.c). For other processors there are none.
LAUNCHER := $(BUILD)/harness/measure/process/launcher/launcher
FEATURES := $(BUILD)/harness/measure/capture/cpu_features/cpu_features
$(LAUNCHER): harness/measure/process/launcher/launcher.c harness/measure/process/launch.h
$(FEATURES): harness/measure/capture/cpu_features/cpu_features.c

$(LAUNCHER) $(FEATURES): harness/base/system_call.h | build/packages-build
	@mkdir -p $(@D)
	$(call say,CC   $(filter %.c,$^))
	$(Q)$(CC) $(CPPFLAGS) -std=c11 $(WARNINGS) -Os -fno-pie -ffreestanding -fno-stack-protector \
		-fno-asynchronous-unwind-tables -nostdlib -static -no-pie -Wl,--build-id=none \
		-Wl,-z,noseparate-code -Wl,-z,norelro -s -o $@ $(filter %.c,$^) 2>$@.log; \
		status=$$?; cat $@.log >&2; exit $$status

ifneq ($(filter x86_64-% aarch64-%,$(shell $(CC) -dumpmachine)),)
$(BUILD)/harness/measure/process/launcher.o: $(LAUNCHER)
$(BUILD)/harness/measure/capture/cpu_features.o: $(FEATURES)
endif
$(BUILD)/harness/measure/process/launcher.o $(BUILD)/harness/measure/capture/cpu_features.o: CPPFLAGS += -Wa,-I$(BUILD)/harness/measure

# The manual pages as text, for `profile_run help`: the index and the verbs first.
PAGES := $(foreach section,1 5 7,$(sort $(wildcard harness/doc/*.$(section))))
MANUAL := $(BUILD)/harness/cli/manual.txt
$(MANUAL): harness/doc/text.awk $(PAGES)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@.new && mv $@.new $@

$(BUILD)/harness/cli/manual_pages.o: $(MANUAL)
$(BUILD)/harness/cli/manual_pages.o: CPPFLAGS += -Wa,-I$(@D)

# Each tests/unit/GROUP/DIR/NAME_test.c defines suite_DIR_NAME(); the runner's list is made from the files,
# anew where one of them is gone.
# $(call list_suites,base/err ...) writes it.
define list_suites
	@mkdir -p $(@D)
	@{ echo '#include "unit.h"'; \
	printf 'void suite_%s(void);\n' $(subst /,_,$(1)); \
	echo 'void (*const unit_suites[])(void) = {'; \
	printf '\tsuite_%s,\n' $(subst /,_,$(1)); \
	echo '	0};'; } > $@
endef

$(BUILD)/%_suites.o: $(BUILD)/%_suites.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

LINK_UNIT = $(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcunit

$(UNIT_OBJECTS) $(BUILD)/tests/unit/unit.o: | build/packages-test

$(BUILD)/unit_suites.c: $(UNIT_SOURCES) $(sort $(dir $(UNIT_SOURCES))) Makefile
	$(call list_suites,$(UNIT_SUITES))

$(UNIT): $(OBJECTS) $(UNIT_OBJECTS) $(BUILD)/tests/unit/unit.o $(BUILD)/unit_suites.o
	$(call say,LINK $@)
	$(Q)$(LINK_UNIT)

# ONLY=DIR/NAME links that suite with what it needs, and builds no more.
ifneq ($(and $(ONLY),$(filter unit,$(MAKECMDGOALS))),)
UNIT_TO_RUN := $(BUILD)/only/$(subst /,_,$(ONLY))
ONLY_SOURCES := $(shell tests/unit/needs '$(ONLY)')
$(if $(ONLY_SOURCES),,$(error make unit: ONLY=DIR/NAME is a file DIR/NAME_test.c in tests/unit or a group of it))

$(UNIT_TO_RUN)_suites.c: Makefile
	$(call list_suites,$(ONLY))

$(UNIT_TO_RUN): $(ONLY_SOURCES:%=$(BUILD)/%.o) $(UNIT_TO_RUN)_suites.o
	$(call say,LINK $@)
	$(Q)$(LINK_UNIT)
else
UNIT_TO_RUN := $(UNIT)
endif

.PHONY: unit
unit: $(UNIT_TO_RUN) ## build and run the unit tests (ONLY=DIR/NAME: one suite, and build what it needs)
	$(UNIT_TO_RUN) $(ONLY)

.PHONY: gate
gate: all ## judge the shipped workloads against the stored baselines, each with its picture
	build/profile_run gate --measure-anyway $(WORKLOADS)

.PHONY: baselines
baselines: all ## measure the shipped workloads and store the runs as this machine's baselines
	build/profile_run baseline update $(WORKLOADS)

.PHONY: demo
demo: all ## slow one function down on purpose and watch the gate fail
	workloads/demo

# The program that is installed; and where zsh finds completions below $(PREFIX).
INSTALLED ?= $(PROGRAM)
ZSH_FOLDER ?= share/zsh/site-functions
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: install
install: all ## install the program, manual pages and completions below $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/man/man7 \
		$(SHARE)/profile_run $(SHARE)/bash-completion/completions $(DESTDIR)$(PREFIX)/$(ZSH_FOLDER) \
		$(SHARE)/fish/vendor_completions.d
	install -m 755 $(INSTALLED) $(DESTDIR)$(PREFIX)/bin/profile_run
	install -m 644 harness/doc/*.1 $(SHARE)/man/man1
	install -m 644 harness/doc/*.5 $(SHARE)/man/man5
	install -m 644 harness/doc/*.7 $(SHARE)/man/man7
	install -m 644 harness/show/output/schema/*.json $(SHARE)/profile_run
	$(INSTALLED) completions bash >$(SHARE)/bash-completion/completions/profile_run
	$(INSTALLED) completions zsh >$(DESTDIR)$(PREFIX)/$(ZSH_FOLDER)/_profile_run
	$(INSTALLED) completions fish >$(SHARE)/fish/vendor_completions.d/profile_run.fish

include tests/tests.mk
include .ci/release.mk

.PHONY: clean
clean: ## remove what was built
	rm -rf build workloads/bin

# For programs of the tests that are linked with a part of the harness.
.PHONY: libraries includes
libraries:
	@echo $(LDLIBS)
includes:
	@echo $(INCLUDES)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z-]+):.*## /\1\t/' | \
		expand -t 14

-include $(OBJECTS:.o=.d) $(SHIM_OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d) $(BUILD)/harness/main.d
