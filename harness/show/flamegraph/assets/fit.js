/*
 * A picture is laid out for the room there is: the width of the window, or of what holds it in a
 * page. Its heading is laid out again where that is less than it was made for, in as many lines as
 * that takes; on a phone its legend is folded until it is requested.
 */

const PHONE_PX = 700;
const LEAST_WIDTH = 360;
const LINE = 17;
const FOOT = 42;
const FINDER = 26;

/* The width to lay out for; one that was requested stays where there is room. */
function widthFor(graph) {
	const { svg, made } = graph;
	const phone = screen.width < PHONE_PX;
	const room = graph.alone ? (phone ? screen.width : window.innerWidth)
		: svg.parentElement.clientWidth || window.innerWidth - 32;

	return made.fixed && (room >= made.width || graph.alone && !phone) ? made.width
		: Math.max(LEAST_WIDTH, room);
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

/* What does not fit follows in its own elements. */
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

/* Lays the heading out for a width, from a height on, and returns that of its last line. */
function wrapHead(head, room, first) {
	let y = first - LINE;

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

const isNarrow = (graph) => graph.width < graph.made.width;
const canFold = (graph) => isNarrow(graph) && graph.width < PHONE_PX;

/* The samples of colours with their meaning, and what else explains the picture. */
const isLegend = (child) => child.localName === "path" || child.classList.contains("legend") ||
	child.previousElementSibling !== null && child.previousElementSibling.localName === "path";

/* The heading as it was made, laid out again where it has less room. */
function fitHead(graph) {
	const { made, head } = graph;
	const folded = canFold(graph) && !graph.legend;

	made.head = made.head || Array.from(head.children, (child) => [child, isLegend(child)]);
	head.replaceChildren(...made.head.filter(([, legend]) => !(folded && legend)).map(([child]) =>
		child.cloneNode(true)));
	const toolsEnd = placeTools(graph) + (isSearching(graph) ? FINDER : 0);

	graph.headEnd = isNarrow(graph) ? wrapHead(head, graph.drawing, toolsEnd + 22) + 11
		: made.top - (made.icicle ? LINE : 0) - (graph.chart ? AXIS : 0);
}

/* After what changes the height of the heading; nothing where it is as it was made. */
function refit(graph) {
	if (isNarrow(graph)) {
		fitHead(graph);
		redraw(graph);
	}
}

/* Where the path of a zoomed box is: beside the whole. */
function placeFoot(graph) {
	const topRoot = graph.icicle && !graph.sandwich;

	graph.top = graph.headEnd + (topRoot ? LINE : 0) + (graph.chart ? AXIS : 0);
	const end = graph.top + graph.rows * graph.row;

	graph.crumbsY = topRoot ? graph.headEnd + LINE - 6 : end + 13;
	graph.height = end + FOOT + (topRoot ? 0 : LINE);
	graph.details[0].setAttribute("y", graph.height - 24);
	graph.details[1].setAttribute("y", graph.height - 8);
}

/* Makes room for so many rows. */
function setRows(graph, rows) {
	const { svg, width } = graph;

	graph.rows = rows;
	placeFoot(graph);
	/* A browser that knows nothing of a picture's width shows a wider page, smaller. */
	const scale = graph.alone && screen.width < PHONE_PX ? window.innerWidth / width : 1;

	setAttributes(svg, { viewBox: "0 0 " + width + " " + graph.height,
		width: String(width * Math.max(scale, 1)), height: String(graph.height * Math.max(scale, 1)) });
	svg.querySelector(".back").setAttribute("d",
		"M0 0h" + width + "v" + graph.height + "h-" + width + "z");
}

/* Lays the picture out for the room it has; returns whether that is another than before. */
function fit(graph) {
	const width = widthFor(graph);

	if (width === graph.width) {
		return false;
	}
	graph.width = width;
	graph.drawing = width - 2 * MARGIN;
	showTools(graph);
	fitHead(graph);
	return true;
}
