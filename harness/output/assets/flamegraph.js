/*
 * What a flame graph can do in a browser: zoom, search, switch sides of a difference, keyboard,
 * state in the address. The picture is complete without it.
 *
 * The data stands in two <metadata> elements, described in flamegraph_svg.h. Names in it come from
 * anywhere: they reach the document as text only, never as markup.
 */
(function () {
	"use strict";

	const SVG = "http://www.w3.org/2000/svg";
	const HTML = "http://www.w3.org/1999/xhtml";
	const MARGIN = 10;
	const PADDING = 3;
	const COLUMN = 6.63;
	const SCOPE_COLUMNS = 16;
	const LEAST_PX = 0.1;
	const EDGE_PX = 4;
	const GATHERED = 0;
	const WHOLE = 1;

	const script = document.currentScript;
	const svg = (script && script.ownerSVGElement) || document.documentElement;
	const alone = svg === document.documentElement;
	const part = (selector) => svg.querySelector(selector);
	const option = (name) => svg.getAttribute("data-" + name);

	const diff = option("mode") === "diff";
	const unit = option("unit");
	const top = Number(option("top"));
	const row = Number(option("row"));
	const levels = Number(option("levels"));
	const icicle = option("icicle") === "1";
	const several = option("several") === "1";
	const whole = { before: Number(option("before")), after: Number(option("after")) };
	const width = svg.viewBox.baseVal.width;
	const height = svg.viewBox.baseVal.height;
	const drawing = width - 2 * MARGIN;

	const names = part("metadata.names").textContent.split("\n").map((line) => line.split("\t"));
	const shapes = Array.from(part("g.boxes").children);
	const boxes = [];
	let view = "difference";
	let colour = "total";
	let zoomed = 0;
	let focused = 0;
	let query = "";
	let pattern = null;

	function read() {
		const open = [];

		part("metadata.boxes").textContent.split("\n").forEach((line, i) => {
			const f = line.split(" ");
			const depth = Number(f[0]);
			const box = {
				depth,
				name: Number(f[1]),
				parent: depth > 0 ? open[depth - 1] : 0,
				end: i + 1,
				x: 0,
				next: 0,
				state: "",
				drawn: shapes[i].getAttribute("d"),
				base: shapes[i].getAttribute("class").split(" ")[0],
			};

			if (diff) {
				box.width = Number(f[2]);
				box.before = Number(f[3]);
				box.after = Number(f[4]);
				box.selfBefore = Number(f[5]);
				box.selfAfter = Number(f[6]);
				box.selfClass = f[7];
			} else {
				box.width = Number(f[2]);
				box.self = Number(f[3]);
			}
			open[depth] = i;
			boxes.push(box);
		});
		for (let i = boxes.length - 1; i > 0; i--) {
			const parent = boxes[boxes[i].parent];

			parent.end = Math.max(parent.end, boxes[i].end);
		}
	}

	const nameOf = (box) => names[box.name][0];
	const share = (value, total) => (total > 0 ? value / total : 0);
	const classOf = (box) => (diff && colour === "self" ? box.selfClass : box.base);

	function valueOf(box) {
		if (!diff || view === "difference") {
			return box.width;
		}
		return share(box[view], whole[view]);
	}

	/* The same packing as flamegraph_layout.c: children from the left edge of their parent. */
	function place() {
		boxes.forEach((box, i) => {
			const parent = boxes[box.parent];

			box.x = i > 0 ? parent.next : 0;
			box.next = box.x;
			if (i > 0) {
				parent.next += valueOf(box);
			}
		});
	}

	/* Text */

	const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

	function percent(ratio) {
		const size = Math.abs(ratio * 100);

		if (size > 0 && size < 0.005) {
			return "<0.01 %";
		}
		return (ratio * 100).toFixed(size >= 99.95 ? 0 : size >= 0.995 || size === 0 ? 1 : 2) + " %";
	}

	const SCALES = {
		ns: [1000, "ns", "\u00b5s", "ms", "s"],
		bytes: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
		B: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
	};

	function cost(value) {
		const scale = SCALES[unit];
		let i = 1;

		if (!scale) {
			return number(Math.abs(value) < 100 ? value : Math.round(value)) + " " + unit;
		}
		for (; i + 1 < scale.length && Math.abs(value) >= scale[0] * 0.9995; i++) {
			value /= scale[0];
		}
		const size = Math.abs(value);

		return value.toFixed(size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2) + " " + scale[i];
	}

	const costs = (before, after) =>
		cost(before).replace(unit in SCALES ? "" : " " + unit, "") + " \u2192 " + cost(after);

	const change = (title, before, after) =>
		title + " " + percent(share(before, whole.before)) + " \u2192 " +
		percent(share(after, whole.after)) + ", " + costs(before, after) + (several ? " a run" : "");

	function lines(box) {
		if (diff) {
			const text = [nameOf(box), change("total", box.before, box.after)];

			if (box.name !== GATHERED && (box.selfBefore > 0 || box.selfAfter > 0)) {
				text.push(change("self", box.selfBefore, box.selfAfter));
			}
			return text;
		}
		const weight = (value) => number(value) + " " + unit + ", " + percent(share(value, boxes[0].width));

		if (box.name === GATHERED) {
			return [box.self + " called functions too small to draw", weight(box.width)];
		}
		return box.self > 0
			? [nameOf(box), weight(box.width), "self " + weight(box.self)]
			: [nameOf(box), weight(box.width)];
	}

	function tooltip(box) {
		return lines(box).concat(names[box.name].slice(1).filter(Boolean).join("  ") || []).join("\n");
	}

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

	/* The same rules as flamegraph_text.c. */
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

	function prefix(box) {
		const kind = diff ? classOf(box) : "";

		if (kind === "new" || kind === "gone") {
			return kind === "new" ? "\u25b2new " : "\u25bcgone ";
		}
		return kind[0] === "g" ? "\u25b2" : kind[0] === "s" ? "\u25bc" : "";
	}

	/* Drawing */

	function element(parent, name, attributes, text) {
		const made = document.createElementNS(SVG, name);

		for (const key of Object.keys(attributes)) {
			made.setAttribute(key, attributes[key]);
		}
		if (text !== undefined) {
			made.textContent = text;
		}
		parent.appendChild(made);
		return made;
	}

	const px = (value) => String(Math.round(value * 100) / 100);
	const yOf = (box) => top + (icicle ? box.depth : levels - 1 - box.depth) * row;

	/* Left and right edge of a box in the present zoom, or null where it is not to be seen. */
	function edges(box, i) {
		const target = boxes[zoomed];

		if (i < zoomed && box.end > zoomed) {
			return [MARGIN, MARGIN + drawing];
		}
		if (i < zoomed || i >= target.end) {
			return null;
		}
		const scale = drawing / (valueOf(target) || 1);
		const left = MARGIN + (box.x - target.x) * scale;
		const right = left + valueOf(box) * scale;

		if (i === zoomed) {
			return [MARGIN, MARGIN + drawing];
		}
		return right - left >= LEAST_PX ? [left, right] : null;
	}

	function paint(box, i, at) {
		let state = i < zoomed && box.end > zoomed ? " above" : "";

		if (at && at[1] - at[0] >= EDGE_PX) {
			state += " w";
		}
		if (pattern && box.name > WHOLE && pattern.test(nameOf(box))) {
			state += " match";
		}
		const now = classOf(box) + state;

		if (box.state !== now) {
			shapes[i].setAttribute("class", now);
			box.state = now;
		}
	}

	function shape(box, i, at) {
		const d = at ? "M" + px(at[0]) + " " + yOf(box) + "h" + px(at[1] - at[0]) + "v" + (row - 1) +
			"H" + px(at[0]) + "z" : "";

		if (box.drawn !== d) {
			shapes[i].setAttribute("d", d);
			box.drawn = d;
		}
	}

	function bars(list) {
		const path = { before: "", after: "" };
		const layer = part("g.bars");

		list.forEach(({ box, at }) => {
			if (!/^[gs]\d/.test(classOf(box)) || at[1] - at[0] < 4 || !(box.width > 0)) {
				return;
			}
			const scale = (at[1] - at[0]) / valueOf(box);
			const line = (side, above) => {
				const length = Math.min(at[1] - at[0], share(box[side], whole[side]) * scale);

				return "M" + px(at[0]) + " " + (yOf(box) + row - 1 - above) + "h" + px(length);
			};

			path.before += line("before", 4);
			path.after += line("after", 1);
		});
		layer.textContent = "";
		if (view === "difference") {
			element(layer, "path", { class: "bar-before", d: path.before });
			element(layer, "path", { class: "bar-after", d: path.after });
		}
	}

	function draw() {
		const layer = part("g.labels");
		const fresh = document.createDocumentFragment();
		const drawn = [];

		boxes.forEach((box, i) => {
			const at = edges(box, i);

			paint(box, i, at);
			shape(box, i, at);
			if (!at || at[1] - at[0] < 2) {
				return;
			}
			drawn.push({ box, at });
			const sign = prefix(box);
			const columns = Math.floor((at[1] - at[0] - 2 * PADDING) / COLUMN - Array.from(sign).length);
			const text = box.name === GATHERED ? "" : label(nameOf(box), columns);

			if (text) {
				element(fresh, "text", { x: px(at[0] + PADDING), y: yOf(box) + 12 }, sign + text);
			}
		});
		layer.textContent = "";
		layer.appendChild(fresh);
		if (diff) {
			bars(drawn);
		}
	}

	/* What the reader asks for */

	function remember() {
		const state = [];

		if (!alone) {
			return;
		}
		if (zoomed > 0) {
			state.push("zoom=" + zoomed);
		}
		if (query) {
			state.push("search=" + encodeURIComponent(query));
		}
		if (diff && view !== "difference") {
			state.push("view=" + view);
		}
		if (diff && colour !== "total") {
			state.push("colour=" + colour);
		}
		try {
			history.replaceState(null, "", "#" + state.join("&"));
		} catch (refused) {
			/* Some embeddings refuse it; the state is a convenience. */
		}
	}

	function say(text) {
		if (details.textContent !== text) {
			details.textContent = text;
		}
	}

	function zoom(i) {
		if (boxes[i].name === GATHERED || !(valueOf(boxes[i]) > 0)) {
			return;
		}
		zoomed = i;
		draw();
		reset.setAttribute("display", zoomed > 0 ? "inline" : "none");
		remember();
	}

	/* The weight of all that matches, a match within a match counted once. */
	function matched(key) {
		let sum = 0;

		for (let i = 1; i < boxes.length;) {
			const hit = boxes[i].name > WHOLE && pattern.test(nameOf(boxes[i]));

			sum += hit ? boxes[i][key] : 0;
			i = hit ? boxes[i].end : i + 1;
		}
		return sum;
	}

	function search(text) {
		query = text;
		pattern = null;
		field.removeAttribute("aria-invalid");
		if (text) {
			try {
				pattern = new RegExp(text, text === text.toLowerCase() ? "i" : "");
			} catch (wrong) {
				field.setAttribute("aria-invalid", "true");
				result.textContent = "not a regular expression";
				draw();
				return;
			}
		}
		if (!pattern) {
			result.textContent = "";
		} else if (diff) {
			result.textContent = "matched " + percent(share(matched("before"), whole.before)) +
				" \u2192 " + percent(share(matched("after"), whole.after));
		} else {
			result.textContent = "matched " + percent(share(matched("width"), boxes[0].width));
		}
		draw();
		remember();
	}

	function openSearch(open) {
		holder.setAttribute("display", open ? "inline" : "none");
		if (open) {
			field.focus();
			field.select();
		} else if (query) {
			field.value = "";
			search("");
		}
	}

	function focusOn(i) {
		const box = boxes[i];
		const shown = shapes[i];

		shapes[focused].removeAttribute("tabindex");
		focused = i;
		shown.setAttribute("tabindex", "0");
		shown.setAttribute("role", "treeitem");
		shown.setAttribute("aria-level", box.depth + 1);
		shown.setAttribute("aria-label", lines(box).join(", "));
		shown.focus();
		say(lines(box).join("   "));
	}

	function sibling(i, step) {
		const near = boxes.map((_, k) => k).filter((k) =>
			k > 0 && i > 0 && boxes[k].parent === boxes[i].parent && boxes[k].drawn);
		const at = near.indexOf(i) + step;

		return near[at] === undefined ? i : near[at];
	}

	function child(i) {
		return i + 1 < boxes[i].end ? i + 1 : i;
	}

	function move(key) {
		const outwards = icicle ? "ArrowDown" : "ArrowUp";

		switch (key) {
		case "ArrowLeft":
			return sibling(focused, -1);
		case "ArrowRight":
			return sibling(focused, 1);
		case "Home":
			return zoomed;
		case "ArrowUp":
		case "ArrowDown":
			return key === outwards ? child(focused) : boxes[focused].parent;
		default:
			return -1;
		}
	}

	function onKey(event) {
		const find = event.key === "/" || ((event.ctrlKey || event.metaKey) && event.key === "f");

		if (event.key === "Escape") {
			if (holder.getAttribute("display") === "inline") {
				openSearch(false);
				shapes[focused].focus();
			} else {
				zoom(0);
			}
		} else if (event.target === field) {
			return;
		} else if (find) {
			openSearch(true);
		} else if (event.ctrlKey || event.metaKey || event.altKey) {
			return;
		} else if (event.key === "Enter" && shapes.includes(event.target)) {
			zoom(focused);
		} else if (move(event.key) >= 0) {
			focusOn(move(event.key));
		} else {
			return;
		}
		event.preventDefault();
	}

	function button(text, end, act) {
		const made = element(tools, "text",
			{ class: "button", x: end, y: 22, "text-anchor": "end", role: "button", tabindex: 0 }, text);

		made.addEventListener("click", act);
		made.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") {
				event.preventDefault();
				event.stopPropagation();
				act();
			}
		});
		return made;
	}

	function choose(next) {
		view = next.view || view;
		colour = next.colour || colour;
		if (!(valueOf(boxes[zoomed]) > 0)) {
			zoomed = 0;
		}
		viewButton.textContent = "Shown: " + view;
		colourButton.textContent = "Colour: " + colour;
		place();
		draw();
		remember();
	}

	function restore() {
		const state = new URLSearchParams(alone ? location.hash.slice(1) : "");
		const i = Number(state.get("zoom"));

		if (diff) {
			const known = ["before", "after"].includes(state.get("view"));
			const self = state.get("colour") === "self";

			if (known || self) {
				choose({ view: known ? state.get("view") : "", colour: self ? "self" : "" });
			}
		}
		if (state.get("search")) {
			openSearch(true);
			field.value = state.get("search");
			search(field.value);
		}
		if (Number.isInteger(i) && i > 0 && i < boxes.length) {
			zoom(i);
		}
	}

	read();
	place();
	svg.classList.add("live");
	svg.setAttribute("role", "group");
	part("g.boxes").setAttribute("role", "tree");
	part("g.boxes").setAttribute("aria-label", "call tree");

	const tools = element(svg, "g", { class: "tools" });
	const details = element(svg, "text",
		{ class: "details", x: MARGIN, y: height - 10, role: "status", "aria-live": "polite" }, "");
	const right = width - MARGIN;
	const views = ["difference", "before", "after"];

	button("Search", right, () => openSearch(true));
	const reset = button("Reset zoom", right - 56, () => zoom(0));
	const viewButton = diff ? button("Shown: difference", right - 140, () =>
		choose({ view: views[(views.indexOf(view) + 1) % 3] })) : null;
	const colourButton = diff ? button("Colour: total", right - 270, () =>
		choose({ colour: colour === "total" ? "self" : "total" })) : null;
	const holder = element(tools, "foreignObject",
		{ x: right - Math.min(380, drawing), y: 28, width: Math.min(380, drawing), height: 26, display: "none" });
	const finder = document.createElementNS(HTML, "div");
	const field = document.createElementNS(HTML, "input");
	const result = document.createElementNS(HTML, "span");

	reset.setAttribute("display", "none");
	field.setAttribute("class", "field");
	field.setAttribute("type", "search");
	field.setAttribute("placeholder", "regular expression");
	field.setAttribute("aria-label", "search functions by regular expression");
	field.addEventListener("input", () => search(field.value));
	finder.setAttribute("class", "finder");
	result.setAttribute("class", "result");
	result.setAttribute("role", "status");
	finder.append(field, result);
	holder.appendChild(finder);

	const indexOf = (target) => shapes.indexOf(target.closest ? target.closest("g.boxes > path") : null);

	part("g.boxes").addEventListener("click", (event) => {
		const i = indexOf(event.target);

		if (i >= 0) {
			zoom(i);
			focusOn(i);
		}
	});
	part("g.boxes").addEventListener("pointerover", (event) => {
		const i = indexOf(event.target);

		if (i < 0) {
			return;
		}
		if (!shapes[i].firstChild) {
			element(shapes[i], "title", {}, tooltip(boxes[i]));
		}
		say(lines(boxes[i]).join("   "));
	});
	part("g.boxes").addEventListener("pointerleave", () => say(""));
	(alone ? document : svg).addEventListener("keydown", onKey);
	shapes[0].setAttribute("tabindex", "0");
	restore();
}());
