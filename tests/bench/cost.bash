# What several benchmarks need: to be sourced once `dir` is a separate folder, `here` is this one
# and `rounds` a number.

broken() { # MESSAGE
	echo "$1"
	[ ! -s "$dir/stderr" ] || tail -n 5 "$dir/stderr"
	exit 2
}

# Makes programs of this folder in `dir`.
make_parts() { # NAME...
	local part
	for part in "$@"; do
		"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -o "$dir/$part" "$here/$part.c" ||
			broken "no C compiler"
	done
}

# Prints the least CPU and wall time in ns and the most memory in KiB of the command's runs, whose
# output goes to `out`, or nowhere. Needs the part "meter".
least() { # COMMAND...
	for _ in $(seq "$rounds"); do
		"$dir/meter" "$dir/cost" - "$@" 2>"$dir/stderr" >"${out:-/dev/null}" || return 1
		cat "$dir/cost"
	done | awk '{ if (NR == 1 || $1 < ns) ns = $1; if (NR == 1 || $2 < wall) wall = $2
			if ($3 > kib) kib = $3 }
		END { print ns, wall, kib }'
	return "${PIPESTATUS[0]}"
}

# Keeps the least time in us, in best[NAME], that a program under the command says of itself ("us 1.25"
# on standard error). A run that failed, as one that lost records and was quicker for it, does not
# count.
declare -A best
keep_least() { # NAME COMMAND...
	local name=$1 us
	shift
	rm -rf "$dir/out"
	"$@" 2>"$dir/stderr" >/dev/null || return
	us=$(sed -n 's/^us //p' "$dir/stderr")
	[ -n "$us" ] || return
	best[$name]=$(printf '%s\n' "${best[$name]:-999999}" "$us" | sort -g | head -n 1)
}

# Prints what each adds to the time of `plain`.
put_added() { # NAME...
	local name
	for name in "$@"; do
		if [ -z "${best[$name]:-}" ]; then
			printf '%-23s absent, refused here, or lost some\n' "$name"
			continue
		fi
		awk -v name="$name" -v us="${best[$name]}" -v plain="${best[plain]}" \
			'BEGIN { printf "%-23s +%.2f\n", name, us - plain }'
	done
}
