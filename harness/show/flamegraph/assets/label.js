/* Names shortened to fit into a box, by the rules of format/name_fit.c. */

const SCOPE_COLUMNS = 16;

const WIDE = [[0x1100, 0x115f], [0x2e80, 0xa4cf], [0xac00, 0xd7a3], [0xf900, 0xfaff],
	[0xff00, 0xff60], [0x1f300, 0x1f64f], [0x1f900, 0x1f9ff], [0x20000, 0x3fffd]];
const NOTHING = [[0x300, 0x36f], [0x200b, 0x200d], [0xfe00, 0xfe0f]];

const columnsOf = (character) => {
	const code = character.codePointAt(0);
	const isIn = (ranges) => ranges.some(([from, to]) => code >= from && code <= to);

	return isIn(NOTHING) ? 0 : isIn(WIDE) ? 2 : 1;
};

const columnsOfAll = (text) => Array.from(text).reduce((sum, each) => sum + columnsOf(each), 0);

function withoutArguments(name) {
	const close = name.lastIndexOf(")");
	let depth = 0;

	for (let i = close; i >= 0; i--) {
		if (name[i] === ")") {
			depth++;
		} else if (name[i] === "(" && --depth === 0) {
			const kept = i === 0 || name.slice(0, i).endsWith("operator") || /[:.]/.test(name[close + 1] || "");

			return kept ? name : name.slice(0, i);
		}
	}
	return name;
}

const isOperator = (name, i) => (name[i] === ">" && name[i - 1] === "-") ||
	/operator[<>=-]*$/.test(name.slice(Math.max(0, i - 16), i));

function withoutTemplates(name) {
	let out = "";
	let depth = 0;
	let inside = 0;

	for (let i = 0; i < name.length; i++) {
		if (name[i] === "<" && !isOperator(name, i)) {
			if (depth++ === 0) {
				out += "<";
				inside = i + 1;
			}
		} else if (name[i] === ">" && depth > 0 && !isOperator(name, i)) {
			if (--depth === 0) {
				const content = name.slice(inside, i);

				out += (columnsOfAll(content) > 1 ? "\u2026" : content) + ">";
			}
		} else if (depth === 0) {
			out += name[i];
		}
	}
	return depth > 0 ? out + name.slice(inside) : out;
}

function head(characters, limit) {
	let used = 0;
	let i = 0;

	while (i < characters.length && used + columnsOf(characters[i]) <= limit) {
		used += columnsOf(characters[i++]);
	}
	return i;
}

/* How many columns are for the end of a name that is cut. */
function narrowTail(name, columns) {
	const isScoped = /<|::/.test(name);
	const third = Math.floor((columns - 1) / 3);

	return !isScoped && /^[^ /]*\//.test(name) ? columns - 1
		: columns < SCOPE_COLUMNS ? 0 : isScoped ? columns - 1 - third : third;
}

/* name_fit_as() in a narrow style. */
function label(name, columns) {
	const fits = (text) => columnsOfAll(text) <= columns;

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
	const tailColumns = narrowTail(name, columns);

	if (columns < SCOPE_COLUMNS) {
		name = /(?:^.*::)?([^]*)$/.exec(name)[1] || name;
	}
	if (fits(name)) {
		return name;
	}
	const characters = Array.from(name);
	const tail = head(characters.slice().reverse(), tailColumns);

	return characters.slice(0, head(characters, columns - 1 - tailColumns)).join("") + "\u2026" +
		characters.slice(characters.length - tail).join("");
}

