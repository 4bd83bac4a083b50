/* Names shortened to fit into a box, by the same rules as flamegraph/text.c. */

const SCOPE_COLUMNS = 16;

const columnsOf = (character) => {
	const code = character.codePointAt(0);

	return (code >= 0x1100 && code < 0x1180) || (code >= 0x2e80 && code < 0xe000) ||
		(code >= 0xff00 && code < 0xffc0) || code >= 0x10000 ? 2 : 1;
};

function withoutArguments(name) {
	const close = name.lastIndexOf(")");
	let depth = 0;

	for (let i = close; i >= 0; i--) {
		if (name[i] === ")") {
			depth++;
		} else if (name[i] === "(" && --depth === 0) {
			const kept = i === 0 || name.slice(0, i).endsWith("operator") || name[close + 1] === ":";

			return kept ? name : name.slice(0, i);
		}
	}
	return name;
}

function withoutTemplates(name) {
	let out = "";

	for (let i = 0; i < name.length; i++) {
		let depth = 0;
		let k = name[i] === "<" && !/operator<?$/.test(name.slice(Math.max(0, i - 9), i)) ? i : name.length;

		for (; k < name.length; k++) {
			if (name[k] === "<") {
				depth++;
			} else if (name[k] === ">" && name[k - 1] !== "-" && --depth === 0) {
				break;
			}
		}
		out += name[i];
		if (k < name.length) {
			out += "\u2026>";
			i = k;
		}
	}
	return out;
}

function head(characters, limit) {
	let used = 0;
	let i = 0;

	while (i < characters.length && used + columnsOf(characters[i]) <= limit) {
		used += columnsOf(characters[i++]);
	}
	return i;
}

/* The same rules as flamegraph/text.c. */
function label(name, columns) {
	const fits = (text) => head(Array.from(text), columns) === Array.from(text).length;

	if (columns < 3) {
		return "";
	}
	if (fits(name)) {
		return name;
	}
	name = withoutArguments(name);
	if (fits(name)) {
		return name;
	}
	name = withoutTemplates(name);
	if (fits(name)) {
		return name;
	}
	if (/<|::/.test(name) && columns >= SCOPE_COLUMNS) {
		const characters = Array.from(name);
		const third = Math.floor((columns - 1) / 3);
		const tail = head(characters.slice().reverse(), columns - 1 - third);

		return characters.slice(0, head(characters, third)).join("") + "\u2026" +
			characters.slice(characters.length - tail).join("");
	}
	name = /(?:^.*::)?([^]*)$/.exec(name)[1] || name;
	if (fits(name)) {
		return name;
	}
	const characters = Array.from(name);

	return characters.slice(0, head(characters, columns - 1)).join("") + "\u2026";
}

