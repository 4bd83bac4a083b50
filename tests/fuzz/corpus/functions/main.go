package main

import (
	"fmt"
	"sort"
	"strings"
)

type record struct {
	key   string
	value int
}

func normalize(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func split(line string) []record {
	var out []record
	for i, f := range strings.Fields(line) {
		out = append(out, record{normalize(f), i})
	}
	return out
}

func count(lines []string) map[string]int {
	m := map[string]int{}
	for _, l := range lines {
		for _, r := range split(l) {
			m[r.key] += r.value
		}
	}
	return m
}

func checksum(m map[string]int) int {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	h := 17
	for _, k := range keys {
		for i := 0; i < len(k); i++ {
			h = h*31 + int(k[i])
		}
		h ^= m[k]
	}
	return h
}

func main() {
	var lines []string
	for i := 0; i < 3000; i++ {
		lines = append(lines, fmt.Sprintf("Alpha Beta%d GAMMA delta Line%d of the Text %d here", i%97, i, i*7))
	}
	h := 0
	for n := 0; n < 20; n++ {
		h += checksum(count(lines))
	}
	fmt.Println(h)
}
