# The manual pages as text, for `profile_run help` where there is no man(1): awk -f text.awk PAGE...
# A page begins with a line of a form feed, its name and its section. The macros of mdoc(7) are those
# that our pages use; an unknown one is an error.

BEGIN {
	WIDTH = 79
	split("Fl Ar Cm Ic Ql Pa Ev Va Dv Em Sx Xr Op Oo Oc Pq Po Pc Ns Ap Dq Sq Nm Fn Xo Xc", names)
	for (i in names)
		inline[names[i]] = 1
	opening["Op"] = opening["Oo"] = "["
	opening["Pq"] = opening["Po"] = "("
	opening["Ql"] = opening["Sq"] = "'"
	opening["Dq"] = "\""
	closing["Op"] = closing["Oc"] = "]"
	closing["Pq"] = closing["Pc"] = ")"
	closing["Ql"] = closing["Sq"] = "'"
	closing["Dq"] = "\""
}

FNR == 1 {
	finish()
	indent = nlists = literal = in_synopsis = 0
	name = ""
}

function plain(text) {
	gsub(/\\ /, "\001", text)
	gsub(/\\&|\\%/, "", text)
	gsub(/\\\(dq/, "\"", text)
	gsub(/\\-/, "-", text)
	gsub(/\\e/, "\\", text)
	return text
}

function shown(text) {
	gsub(/\001/, " ", text)
	return text
}

function blanks(n) {
	return sprintf("%" n "s", "")
}

function put_line(text) {
	sub(/ +$/, "", text)
	print shown(text)
	is_blank = text == ""
}

function gap() {
	if (!is_blank)
		put_line("")
}

# Adds to the paragraph: without a blank where `joined` says so, or before punctuation.
function add(text) {
	if (text ~ /^[.,:;)?!\]]$/ || joined || paragraph == "")
		paragraph = paragraph text
	else
		paragraph = paragraph " " text
	joined = text ~ /^[(\[]$/
}

# Writes the paragraph in lines.
function flush(    n, words, i, line) {
	n = split(paragraph, words, / +/)
	line = lead
	for (i = 1; i <= n; i++) {
		if (line ~ /[^ ]/ && length(line) + 1 + length(words[i]) > WIDTH && words[i] != "") {
			put_line(line)
			line = ""
		}
		if (line == "")
			line = blanks(indent) words[i]
		else
			line = line (line ~ / $/ || words[i] == "" ? "" : " ") words[i]
	}
	if (n > 0)
		put_line(line)
	paragraph = ""
	joined = 0
	lead = blanks(indent)
}

function finish() {
	if (paragraph != "")
		flush()
}

# Splits a macro's line into words[]: quoted ones are one.
function split_words(text,    n) {
	n = 0
	while (match(text, /^ *("([^"]|"")*"|[^ ]([^ ]|\\ )*)/)) {
		words[++n] = substr(text, RSTART, RLENGTH)
		text = substr(text, RLENGTH + 1)
		sub(/^ +/, "", words[n])
		quoted[n] = words[n] ~ /^"./
		if (quoted[n]) {
			words[n] = substr(words[n], 2, length(words[n]) - 2)
			gsub(/""/, "\"", words[n])
		}
	}
	return n
}

function is_mark(word) {
	return word ~ /^[.,:;)?!(\[\]]$/
}

# One macro's own words, words[at] and on, up to the next macro; returns what follows.
function add_macro(macro, at, n,    count, last) {
	if (macro == "Ns") {
		joined = 1
		return at
	}
	if (macro == "Ap") {
		paragraph = paragraph "'"
		joined = 1
		return at
	}
	if (macro == "Oo" || macro == "Po") {
		add(opening[macro])
		joined = 1
		return at
	}
	if (macro == "Oc" || macro == "Pc") {
		paragraph = paragraph closing[macro]
		joined = 0
		return at
	}
	if (macro == "Xo" || macro == "Xc")
		return at
	if (macro == "Op" || macro == "Pq" || macro == "Dq" || macro == "Sq" || macro == "Ql") {
		for (last = n; last > at && is_mark(words[last]); last--)
			;
		add(opening[macro])
		joined = 1
		add_words(at, last)
		paragraph = paragraph closing[macro]
		joined = 0
		return last + 1
	}
	if (macro == "Nm" && (at > n || is_mark(words[at]))) {
		add(name)
		return at
	}
	if (macro == "Xr") {
		add(plain(words[at]) "(" words[at + 1] ")")
		return at + 2
	}
	if (macro == "Fn") {
		add(words[at] "()")
		return at + 1
	}
	if (macro == "Fl" && (at > n || words[at] in inline))
		add("-")
	for (; at <= n && !(words[at] in inline && !quoted[at]); at++)
		add(macro == "Fl" && !is_mark(words[at]) && words[at] != "|" ? "-" plain(words[at]) : plain(words[at]))
	return at
}

function add_words(at, n,    macro) {
	while (at <= n) {
		if (words[at] in inline && !quoted[at]) {
			macro = words[at]
			at = add_macro(macro, at + 1, n)
		} else
			add(plain(words[at++]))
	}
}

function heading(text, column) {
	finish()
	gap()
	put_line(blanks(column) plain(text))
	is_blank = 1
	lead = blanks(indent)
}

function begin_list() {
	nlists++
	list_type[nlists] = $0 ~ /-bullet|-dash/ ? "-" : "tag"
	list_compact[nlists] = $0 ~ /-compact/
	list_column[nlists] = indent
	list_items[nlists] = 0
}

function begin_item(    n) {
	finish()
	if (!list_compact[nlists] || list_items[nlists]++ == 0 && nlists == 1)
		gap()
	indent = list_column[nlists]
	lead = blanks(indent)
	if (list_type[nlists] == "-") {
		lead = lead "-   "
		indent += 4
		return
	}
	n = split_words(substr($0, 4))
	add_words(1, n)
	if (!extended())
		end_tag()
}

# Whether the item's heading goes on, up to Xc.
function extended() {
	return in_heading = $0 ~ / Xo$/
}

function end_tag() {
	in_heading = 0
	if (length(paragraph) + 2 <= 8) {
		lead = lead paragraph blanks(8 - length(paragraph))
		paragraph = ""
		indent += 8
	} else {
		flush()
		indent += 8
		lead = blanks(indent)
	}
	joined = 0
}

/^\.Ed/ {
	literal = 0
	next
}
literal {
	put_line(blanks(indent + literal) plain($0))
	next
}
/^\.(Dd|Os)/ { next }
/^\.Dt/ {
	printf "\f%s %s\n", tolower($2), $3
	is_blank = 1
	next
}
/^\.Sh/ {
	finish()
	indent = nlists = 0
	in_synopsis = $2 == "SYNOPSIS"
	heading(substr($0, 5), 0)
	indent = 5
	lead = blanks(indent)
	next
}
/^\.Ss/ {
	heading(substr($0, 5), 3)
	next
}
/^\.Nd/ {
	add("-")
	add(plain(substr($0, 5)))
	next
}
/^\.Pp/ {
	finish()
	gap()
	next
}
/^\.Bl/ {
	finish()
	begin_list()
	next
}
/^\.El/ {
	finish()
	indent = list_column[nlists--]
	lead = blanks(indent)
	next
}
/^\.It/ {
	begin_item()
	next
}
/^\.Bd/ {
	finish()
	gap()
	literal = $0 ~ /-offset/ ? 4 : 1
	next
}
/^\.Dl/ {
	finish()
	put_line(blanks(indent + 4) plain(substr($0, 5)))
	next
}
/^\.[A-Z]/ {
	macro = substr($1, 2)
	if (!(macro in inline)) {
		print FILENAME ":" FNR ": no macro " macro " in text.awk" >"/dev/stderr"
		exit 1
	}
	if (in_synopsis && macro == "Nm")
		finish()
	if (macro == "Nm" && name == "")
		name = $2
	n = split_words(substr($0, 2))
	add_words(1, n)
	if (macro == "Xc" && in_heading)
		end_tag()
	next
}
{
	n = split(plain($0), line_words, / +/)
	for (i = 1; i <= n; i++)
		add(line_words[i])
}

END { finish() }
