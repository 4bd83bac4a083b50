# Types, names of types, constants and a variable changed, in C, C++, Rust and Go: each function whose code
# or data is made from one has it as the cause, though no line of its own changed.
#
# Takes long.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a changed definition is the cause" "perf_event_open is refused here"
	finish
fi
needs "a changed definition is the cause" git gcc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME

HERE=$PWD
# repository NAME BUILD PROGRAM: enters it, where the program of a language is to be written.
repository() {
	mkdir -p "$HERE/$1/workloads" && cd "$HERE/$1" || exit 2
	git init -q . && git config user.email a@example.org && git config user.name a
	printf 'name: app\nbuild: %s\nrun: [%s]\ncapture: {repeat: 1}\n' "$2" "$3" >workloads/app.yaml
	printf '%s\n' /app target/ reports/ '*.txt' >.gitignore
}
# fails SED: a gate of what this changes in the definitions.
fails() {
	git add -A && git commit -qm base && sed -i "$1" "$DEFINED" && git commit -qam change &&
		exits 1 "$PROFILE_RUN" gate --against HEAD~1 --quiet
}
# caused FUNCTION PLACE TEXT: the finding about it names the place of the text, and marks its line.
caused() {
	local line
	line=$(grep -nF -- "$2" "$DEFINED" | cut -d: -f1)
	# Behind long figures the place is not on the second line.
	awk -v begin="FAIL  app  $1 " '/^[^ ]/ { inside = index($0, begin) == 1 } inside' out.txt |
		contains /dev/stdin "$DEFINED:$line: $3 changed" &&
		grep -F "::error file=$DEFINED,line=$line,title=profile_run%3A app::$1 " reports/latest/annotations.txt ||
		{ cat out.txt; return 1; }
}

DEFINED=app.h
repository c "gcc -O3 -g -o app app.c" ./app
cat >app.h <<'CODE'
#include <stdint.h>
typedef uint16_t cell;
typedef struct {
	unsigned weight;
	unsigned id;
} vec;
enum { STEPS = 3000 };
#define SLOTS 1000
struct table {
	unsigned short slots[SLOTS];
};
typedef struct table table_t;
unsigned cutoff = 3000;
CODE
cat >app.c <<'CODE'
#include "app.h"
static volatile unsigned sink;
static vec vecs[20000];
static cell cells[20000];
static table_t table;
__attribute__((noinline)) static unsigned
walk(const vec *v)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 20000; i++)
		sum += v[i].weight ^ i;
	return sum;
}
__attribute__((noinline)) static unsigned
add(cell *c)
{
	for (unsigned i = 0; i < 20000; i++)
		c[i] = c[i] * 3 + 1;
	return (unsigned)c[7];
}
__attribute__((noinline)) static unsigned
fill(const table_t *t)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < sizeof(t->slots) / sizeof(t->slots[0]); i++)
		sum = (sum + t->slots[i]) % 1021 + i;
	return sum;
}
__attribute__((noinline)) static unsigned
mix(unsigned x)
{
	for (int i = 0; i < STEPS; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}
__attribute__((noinline)) static unsigned
turn(unsigned x)
{
	for (unsigned i = 0; i < cutoff; i++)
		x = x * 22695477u + (x >> 9);
	return x;
}
int
main(void)
{
	for (unsigned i = 0; i < 2500; i++)
		sink += walk(vecs) + add(cells) + fill(&table) + mix(i) + turn(i);
	return 0;
}
CODE
printf '%s\n' '* @nobody' '*.c @core' '*.h @headers @anna' >CODEOWNERS
check "C: changed definitions fail" fails 's/uint16_t/uint64_t/; s/unsigned id/unsigned id[63]/
	s/STEPS = 3000/STEPS = 9000/; s/SLOTS 1000/SLOTS 5000/; s/cutoff = 3000/cutoff = 9000/'
check "C: a name for a type" caused add "cell;" "typedef cell"
check "C: a type that only a typedef names" caused walk "unsigned id[63]" "struct vec"
check "C: a constant of an enum without a name" caused mix "STEPS = 9000" "enum STEPS"
check "C: a macro that a type is made from" caused fill "SLOTS 5000" "macro SLOTS"
check "C: the value of a variable, where the code is the same" caused turn "cutoff = 9000" "variable cutoff"
check "findings name the owners of the file that is marked" contains reports/latest/report.txt \
	"owned by @headers @anna"
# From replay.bin, and without a mention.
check "also a comment" contains <("$PROFILE_RUN" export reports/latest --to comment) \
	'owned by <span>\@</span>headers <span>\@</span>anna'

DEFINED=app.hh
if command -v g++ >/dev/null; then
	repository cpp "g++ -std=c++17 -O3 -g -o app app.cc" ./app
	cat >app.hh <<'CODE'
#pragma once
#include <cstdint>

namespace app {

using cell = std::uint16_t;

class node {
public:
	unsigned weight() const { return weight_; }

private:
	unsigned weight_ = 1;
	unsigned id_ = 2;
};

constexpr int steps = 20;

template <class T,
	int Slots = 1000>
struct ring {
	T slots[Slots];
	static constexpr int size = Slots;
};

enum class limits : int {
	rounds = 20,
};

} // namespace app
CODE
	cat >app.cc <<'CODE'
#include "app.hh"
#include <vector>
static volatile unsigned sink;
namespace app {
[[gnu::noinline]] static unsigned
walk(const std::vector<node> &nodes)
{
	unsigned sum = 0;

	for (const node &n : nodes)
		sum += n.weight() ^ sum;
	return sum;
}
[[gnu::noinline]] static unsigned
add(cell *c)
{
	for (unsigned i = 0; i < 20000; i++)
		c[i] = c[i] * 3 + 1;
	return (unsigned)c[7];
}
[[gnu::noinline]] static unsigned
fill(const ring<unsigned short> &r)
{
	unsigned sum = 0;

	for (unsigned short s : r.slots)
		sum = (sum + s) % 1021 + 1;
	return sum;
}
[[gnu::noinline]] static unsigned
mix(unsigned x)
{
	for (int i = 0; i < steps * 150; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}
[[gnu::noinline]] static unsigned
turn(unsigned x)
{
	for (int i = 0; i < (int)limits::rounds * 150; i++)
		x = x * 22695477u + (x >> 9);
	return x;
}
} // namespace app
static app::cell cells[20000];
static app::ring<unsigned short> ring;
int
main()
{
	std::vector<app::node> nodes(20000);

	for (unsigned i = 0; i < 2500; i++)
		sink += app::walk(nodes) + app::add(cells) + app::fill(ring) + app::mix(i) + app::turn(i);
	return 0;
}
CODE
	check "C++: changed definitions fail" fails 's/uint16_t/uint64_t/; s/id_ = 2/id_[63] = {}/
		s/steps = 20/steps = 60/; s/Slots = 1000/Slots = 5000/; s/rounds = 20/rounds = 60/'
	check "C++: an alias" caused app::add "using cell" "using cell"
	check "C++: a class" caused app::walk "id_[63]" "class node"
	check "C++: a parameter of a template" caused app::fill "Slots = 5000" "struct ring"
	check "C++: a constant expression" caused app::mix "steps = 60" "constexpr steps"
	check "C++: an enum" caused app::turn "rounds = 60" "enum limits"
else
	skip "C++: changed definitions fail" "g++ is not installed"
fi

DEFINED=src/defs.rs
if command -v cargo >/dev/null && command -v rustc >/dev/null; then
	repository rust "cargo build --release --offline -q" target/release/app
	mkdir src
	cat >Cargo.toml <<'CODE'
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[profile.release]
debug = true
CODE
	cat >src/defs.rs <<'CODE'
pub type Cell = i16;

/// A node.
#[derive(Clone)]
pub struct Node {
    pub weight: u32,
    pub id: u32,
}

pub const STEPS: u32 = 20;

pub enum Kind {
    Small,
    Large(u32),
}

#[repr(C)]
#[derive(Clone)]
pub struct Row {
    pub sum: u16,
}

pub struct Table;

impl Table {
    pub const ROUNDS: u32 = 20;
}
CODE
	cat >src/main.rs <<'CODE'
mod defs;
use defs::*;
use std::hint::black_box;

#[inline(never)]
fn walk(nodes: &[Node]) -> u32 {
    let mut sum = 0u32;
    for n in nodes {
        sum = sum.wrapping_add(n.weight ^ sum);
    }
    sum
}

#[inline(never)]
fn add(cells: &mut [Cell]) -> u32 {
    for c in cells.iter_mut() {
        *c = c.wrapping_mul(3).wrapping_add(1);
    }
    cells[7] as u32
}

#[inline(never)]
fn mix(mut x: u32) -> u32 {
    for _ in 0..STEPS * 150 {
        x = x.wrapping_mul(1664525).wrapping_add(x >> 7);
    }
    x
}

#[inline(never)]
fn turn(mut x: u32) -> u32 {
    for _ in 0..Table::ROUNDS * 150 {
        x = x.wrapping_mul(22695477).wrapping_add(x >> 9);
    }
    x
}

#[inline(never)]
fn rows(rows: &[Row]) -> u32 {
    let mut sum = 0u32;
    for r in rows {
        sum = sum.wrapping_add(r.sum as u32);
    }
    sum
}

fn main() {
    let nodes = vec![Node { weight: 1, id: Default::default() }; 20000];
    let mut cells: Vec<Cell> = vec![3; 20000];
    let all = vec![Row { sum: 3 }; 20000];
    black_box(Kind::Large(3));
    black_box(Kind::Small);
    for i in 0..2500 {
        black_box(walk(&nodes).wrapping_add(add(&mut cells)).wrapping_add(mix(i)).wrapping_add(turn(i)).wrapping_add(rows(&all)));
    }
}
CODE
	cargo build --release --offline -q 2>/dev/null
	check "Rust: changed definitions fail" fails 's/= i16;/= i64;/; s/repr(C)/repr(C, align(256))/
		s/: u32 = 20/: u32 = 60/'
	check "Rust: a name for a type" caused app::add "type Cell" "type Cell"
	check "Rust: an attribute of a struct" caused app::rows "align(256)" "struct Row"
	check "Rust: a constant" caused app::mix "STEPS: u32 = 60" "const STEPS"
	check "Rust: a constant of a type" caused app::turn "ROUNDS: u32 = 60" "const ROUNDS"
else
	skip "Rust: changed definitions fail" "cargo is not installed"
fi

DEFINED=defs.go
if command -v go >/dev/null; then
	export GOFLAGS=-mod=mod GOTOOLCHAIN=local
	repository go "go build -buildvcs=false -trimpath -o app ." ./app
	printf 'module example.com/tool\n\ngo 1.19\n' >go.mod
	cat >defs.go <<'CODE'
package main

type cell [1]int32

type (
	node struct {
		weight uint32
		id     uint32
	}
	row = uint16
)

const steps = 20

const (
	// rounds of turn
	rounds = 20
	other  = 3
)
CODE
	cat >main.go <<'CODE'
package main

var sink uint32

//go:noinline
func walk(nodes []node) (sum uint32) {
	for _, n := range nodes {
		sum += n.weight ^ sum
	}
	return sum
}

//go:noinline
func add(cells []cell) (sum uint32) {
	for i, c := range cells {
		sum = (sum + uint32(c[0]/7)) ^ uint32(i)
	}
	return sum
}

//go:noinline
func rows(rows []row) (sum uint32) {
	for _, r := range rows {
		sum += uint32(r) ^ sum
	}
	return sum
}

//go:noinline
func mix(x uint32) uint32 {
	for i := 0; i < steps*150; i++ {
		x = x*1664525 + (x >> 7)
	}
	return x
}

//go:noinline
func turn(x uint32) uint32 {
	for i := 0; i < rounds*150; i++ {
		x = x*22695477 + (x >> 9)
	}
	return x
}

func main() {
	nodes := make([]node, 20000)
	cells := make([]cell, 20000)
	all := make([]row, 20000)
	for i := 0; i < 2500; i++ {
		sink += walk(nodes) + add(cells) + rows(all) + mix(uint32(i)) + turn(uint32(i))
	}
}
CODE
	check "Go: changed definitions fail" fails 's/id     uint32/id     [32]uint64/; s/steps = 20/steps = 60/
		s/rounds = 20/rounds = 60/'
	check "Go: a struct of a group" caused main.walk "[32]uint64" "struct node"
	check "Go: a constant" caused main.mix "steps = 60" "const steps"
	check "Go: a constant of a group" caused main.turn "rounds = 60" "const rounds"
else
	skip "Go: changed definitions fail" "go is not installed"
fi
finish
