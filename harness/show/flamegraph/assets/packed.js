/*
 * The data of a picture in a page, as flamegraph/svg.h and flamegraph/packed.h have it: names by their
 * place in the page's list, numbers in few characters.
 */

const PACKED_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PACKED_UNITS = 1e8; /* of 1, for shares; 1e6 for changes, 1e5 for intervals */
const PACKED_HIDDEN_UNITS = 1e6;
const PACKED_CLASSES = ["z", "q", "g1", "g2", "g3", "g4", "s1", "s2", "s3", "s4", "new", "gone"];

/* Reads numbers one after the other; `classes` reads what stands in braces, if that follows. */
function unpacker(text) {
	let at = 0;
	const number = () => {
		let value = 0;

		for (let scale = 1; ; scale *= 32) {
			const digit = PACKED_DIGITS.indexOf(text[at++]);

			value += (digit & 31) * scale;
			if (digit < 32) {
				return value;
			}
		}
	};
	const signed = () => {
		const value = number();

		return value % 2 === 1 ? -(value - 1) / 2 : value / 2;
	};
	const classes = () => {
		const end = text[at] === "{" ? text.indexOf("}", at) : -1;
		const found = end > 0 ? text.slice(at + 1, end) : "";

		at = end > 0 ? end + 1 : at;
		return found;
	};

	return { number, signed, classes, more: () => at < text.length };
}

let pageNames = null;

/* Names with their classes, module, place and full name. */
function unpackNames(text) {
	const packed = unpacker(text);
	const names = [];

	pageNames = pageNames || document.querySelector("metadata.page-names").textContent.split("\n")
		.map((line) => line.split("\t"));
	for (let line = 0; packed.more();) {
		line += packed.signed();
		const [name, ...parts] = pageNames[line];

		names.push([name, packed.classes(), ...parts]);
	}
	return names;
}

function unpackHidden(text) {
	const packed = unpacker(text);
	const hidden = [[], []];

	while (packed.more()) {
		hidden.push([packed.number() / PACKED_HIDDEN_UNITS, packed.number() / PACKED_HIDDEN_UNITS]);
	}
	return hidden;
}

/* The lowest bits of `flags`: 1, its ratio is not that of the costs; 2, its interval is shifted. */
function unpackChange(packed, flags, whole, drift) {
	const before = packed.number();
	const after = before + packed.signed();
	const ratio = flags & 1 ? packed.signed() / 1e6 : after / drift / before - 1;
	const half = packed.number();

	return { kind: PACKED_CLASSES[flags >> 2], ratio, half: half > 0 ? (half - 1) / 1e3 : NaN,
		before: before / PACKED_UNITS * whole.before, after: after / PACKED_UNITS * whole.after,
		skew: flags & 2 ? packed.signed() / 1e3 : 0 };
}

/* `sides` has the whole costs, the costs of one unit of width, the drift and the whole width. */
function unpackBoxes(text, { whole, barUnit, drift, wholeWidth }) {
	const packed = unpacker(text);
	const boxes = [];
	let depth = 0;
	let name = 0;

	while (packed.more()) {
		depth += 1 - packed.number();
		const line = packed.number();
		const box = { depth, up: false, name: 0, width: 0, parent: 0, end: 0, x: 0, gap: 0 };

		if (line === 0) {
			box.width = packed.number() / PACKED_UNITS * wholeWidth;
			box.total = box.self = { ...NOTHING_CHANGED, kind: "o" };
		} else {
			name += line % 2 === 0 ? -(line - 2) / 2 : (line - 1) / 2;
			const flags = packed.number();

			box.name = name;
			box.total = unpackChange(packed, flags >> 2, whole, drift);
			box.width = Math.max(share(box.total.before, barUnit.before),
				share(box.total.after, barUnit.after)) + packed.signed() / PACKED_UNITS * wholeWidth;
			box.self = (flags & 3) === 1 ? box.total
				: (flags & 3) === 2 ? unpackChange(packed, packed.number(), whole, drift) : NOTHING_CHANGED;
		}
		boxes.push(box);
	}
	return link(boxes);
}
