# profile_run: `make help` lists the targets. Everything is built into build/.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc
CLANG ?= clang

# VARIANT=asan builds the same with sanitizers into build/asan.
VARIANT ?= release
BUILD := build/$(VARIANT)

CPPFLAGS := -D_GNU_SOURCE -DPROFILE_RUN_VERSION='"$(VERSION)"' -Iharness -Itests/unit
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wformat=2 -Wundef -Wswitch-enum
CFLAGS ?= -O2 -g
CFLAGS_ALL := -std=c11 $(WARNINGS) -fno-omit-frame-pointer $(CFLAGS) $(CFLAGS_VARIANT)
LDLIBS := -ldw -lelf -lyaml -lcjson -lmd -lm

CFLAGS_VARIANT_release :=
CFLAGS_VARIANT_asan := -fsanitize=address,undefined -fno-sanitize-recover=all -O1
CFLAGS_VARIANT = $(CFLAGS_VARIANT_$(VARIANT))

SOURCES := $(sort $(wildcard harness/*/*.c))
ASSETS := $(wildcard harness/output/assets/*)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(patsubst %.S,$(BUILD)/%.o,$(wildcard harness/*/*.S))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*/*_test.c))
UNIT_OBJECTS := $(UNIT_SOURCES:%.c=$(BUILD)/%.o)
PROGRAM := $(BUILD)/profile_run
UNIT := $(BUILD)/unit

.PHONY: all
all: build/profile_run ## build the program: build/profile_run

build/profile_run: $(PROGRAM)
	@ln -sf $(VARIANT)/profile_run $@

$(PROGRAM): $(OBJECTS) $(BUILD)/harness/main.o
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S $(ASSETS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -Wa,-Iharness -c -o $@ $<

# Each tests/unit/DIR/NAME_test.c defines suite_DIR_NAME(); the runner's list is made from the files.
$(BUILD)/unit_suites.c: $(UNIT_SOURCES) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "unit.h"'; \
	for f in $(UNIT_SOURCES:tests/unit/%_test.c=%); do \
		echo "void suite_$$(echo $$f | tr / _)(void);"; done; \
	echo 'void (*const unit_suites[])(void) = {'; \
	for f in $(UNIT_SOURCES:tests/unit/%_test.c=%); do \
		echo "	suite_$$(echo $$f | tr / _),"; done; \
	echo '	0};'; } > $@

$(UNIT): $(OBJECTS) $(UNIT_OBJECTS) $(BUILD)/tests/unit/unit.o $(BUILD)/unit_suites.o
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcunit

$(BUILD)/unit_suites.o: $(BUILD)/unit_suites.c
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

.PHONY: unit
unit: $(UNIT) ## build and run the unit tests (ONLY=SUITE for one of them)
	$(UNIT) $(ONLY)

.PHONY: clean
clean: ## remove what was built
	rm -rf build workloads/bin

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z-]+):.*## /\1\t/' | \
		expand -t 14

-include $(OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d) $(BUILD)/harness/main.d
