/*
 * On a phone a picture made for a desk would be shrunk beyond reading: it is laid out again for the
 * width there is, its heading in as many lines as that takes.
 */

const PHONE_PX = 700;
const LEAST_WIDTH = 360;
const LINE = 17;
const FIRST_LINE = 44; /* the tools are above it */
const FOOT = 42;

/* The width to lay out for; that of the picture where it is fine as it is. */
function widthFor(graph) {
	const { svg } = graph;
	const room = graph.alone ? screen.width : svg.parentElement.clientWidth || window.innerWidth - 32;
	const fits = graph.alone ? screen.width >= PHONE_PX : room >= graph.width * 0.75;

	return fits || room >= graph.width ? graph.width : Math.max(LEAST_WIDTH, room);
}

/* The lines of a heading: texts of one height, each with the sample of a colour before it, if any. */
function headLines(head) {
	const found = [];
	let sample = null;
	let y = null;

	for (const child of Array.from(head.children)) {
		if (child.localName !== "text") {
			sample = child;
			continue;
		}
		if (child.getAttribute("y") !== y) {
			y = child.getAttribute("y");
			found.push([]);
		}
		found[found.length - 1].push({ sample, text: child });
		sample = null;
	}
	return found;
}

/* Where a text that is too long is cut between words: first character and end of each line. */
function linesOf(text, room) {
	const all = text.textContent;
	const fits = (from, to) => text.getSubStringLength(from, to - from) <= room;
	const columns = Math.max(10, Math.floor(all.length * room / (text.getComputedTextLength() || 1)));
	const found = [];
	let from = 0;

	while (from < all.length && !fits(from, all.length)) {
		let to = all.lastIndexOf(" ", from + columns);

		while (to > from && !fits(from, to)) {
			to = all.lastIndexOf(" ", to - 1);
		}
		to = to > from ? to : Math.min(from + columns, all.length);
		found.push([from, to]);
		from = all[to] === " " ? to + 1 : to;
	}
	found.push([from, all.length]);
	return found;
}

/* What does not fit follows in elements of its own. */
function wrapText(text, room) {
	const all = text.textContent;
	const parts = [text];

	linesOf(text, room).forEach(([from, to], k) => {
		if (k > 0) {
			parts.push(text.cloneNode(false));
			parts[k - 1].after(parts[k]);
		}
		parts[k].textContent = all.slice(from, to);
	});
	return parts;
}

/* Lays the heading out for a width and returns the height of its last line. */
function wrapHead(head, room) {
	let y = FIRST_LINE - LINE;

	for (const line of headLines(head)) {
		let x = MARGIN;

		y += LINE;
		for (const { sample, text } of line) {
			const indent = sample ? 18 : 0;
			const size = text.getComputedTextLength();

			if (x > MARGIN && x + indent + size > MARGIN + room) {
				x = MARGIN;
				y += LINE;
			}
			if (sample) {
				sample.setAttribute("d", "M" + px(x) + " " + (y - 10) + "h14v12h-14z");
			}
			wrapText(text, room - indent).forEach((part, k) => {
				y += k > 0 ? LINE : 0;
				setAttributes(part, { x: px(x + indent), y: String(y) });
			});
			x += indent + size + 14;
		}
	}
	return y;
}

function fit(graph) {
	const { svg } = graph;
	const width = widthFor(graph);

	if (width !== graph.width) {
		graph.width = width;
		graph.drawing = width - 2 * MARGIN;
		graph.top = wrapHead(svg.querySelector("g.head"), graph.drawing) + 11 +
			(graph.icicle ? LINE : 0);
		graph.height = graph.top + graph.levels * graph.row + FOOT + (graph.icicle ? 0 : LINE);
		svg.setAttribute("viewBox", "0 0 " + width + " " + graph.height);
		svg.querySelector(".back").setAttribute("d",
			"M0 0h" + width + "v" + graph.height + "h-" + width + "z");
	}
	/* A browser that knows nothing of a picture's width shows a wider page, smaller. */
	const scale = graph.alone && screen.width < PHONE_PX ? window.innerWidth / width : 1;

	if (scale > 1 || svg.getAttribute("width") !== String(width)) {
		svg.setAttribute("width", width * scale);
		svg.setAttribute("height", graph.height * scale);
	}
}
