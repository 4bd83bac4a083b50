/*
 * Tables that a page of many workloads has as text (html_rows.c): a caption, the headings, then a line
 * a row with its cells between tabs. Here they become what other tables are from the start.
 */
"use strict";

const STATUSES = { pass: "pass", warn: "warn", undecided: "inconclusive", fail: "fail", error: "error",
	skipped: "skipped" };
const UNITS = { "%": 0.01, ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, B: 1, KiB: 2 ** 10, MiB: 2 ** 20,
	GiB: 2 ** 30, TiB: 2 ** 40 };
const DOT_PLACES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAGE_SVG = "http://www.w3.org/2000/svg";

/* The number that a cell is sorted by; null: it has none. */
function sortValue(text) {
	const found = /([-+]?[\d.,]*\d(?:e[-+]?\d+)?)\s*(x\b|%|[a-zA-Z]+)?/.exec(text);

	if (!found)
		return null;
	const value = Number(found[1].replace(/,/g, ""));

	return text.startsWith("below") ? 0 : found[2] === "x" ? value - 1 : value * (UNITS[found[2]] || 1);
}

function made(name, className, text) {
	const element = document.createElement(name);

	if (className)
		element.className = className;
	if (text)
		element.textContent = text;
	return element;
}

/* A name, as a link to the workload's picture where there is one, and what is said of it. */
function nameCell(text, picture) {
	const cell = made("th");
	const [name, ...notes] = text.split("  ");

	cell.scope = "row";
	if (picture) {
		const code = made("code");
		const link = made("a", "", name);

		link.href = `${picture}#function=${encodeURIComponent(name)}`;
		code.append(link);
		cell.append(code);
	} else
		cell.append(name);
	for (const note of notes)
		cell.append(made("br"), made("small", "", note));
	return cell;
}

function verdictCell(text) {
	const cell = made("td");
	const status = text === "accepted" ? text : STATUSES[text];

	cell.dataset.v = ["pass", "warn", "undecided", "fail", "error", "skipped"].indexOf(text);
	cell.append(status ? made("span", `status ${status}`, text) : made("small", "", text));
	return cell;
}

/* A share stands small behind the cost that it is of. */
function numberCell(text, name) {
	const cell = made(name, "number");
	const value = sortValue(text);
	const [, cost, part] = /^(.*[a-zA-Z]) ([\d.]+ %)$/.exec(text) || ["", text, ""];

	if (name === "th")
		cell.scope = "row";
	cell.dataset.v = value === null ? "" : value;
	cell.append(cost);
	if (part)
		cell.append(" ", made("small", "", part));
	return cell;
}

function drawn(name, attributes, text) {
	const element = document.createElementNS(PAGE_SVG, name);

	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, value);
	if (text)
		element.textContent = text;
	return element;
}

/* The dots of html_dots.c, from "before LOW to HIGH, mean MEAN PLACES; after ...". */
function dotsCell(text) {
	const cell = made("td");
	const sides = text.split("; ").map((side) => /^(\w+) (.*) (\S+)$/.exec(side)).filter(Boolean);

	if (sides.length === 0)
		return cell;
	const picture = drawn("svg", { class: "dots", width: 120, height: 15 * sides.length,
		viewBox: `0 0 120 ${15 * sides.length}`, role: "img" });
	const titles = sides.map(([, side, costs, places]) => {
		const runs = places.replace(/\./g, "").length;

		return `${side}: ${runs} ${runs === 1 ? "run" : "runs"} from ${costs}`;
	});

	picture.append(drawn("title", {}, titles.join("; ")));
	sides.forEach(([, side, , places], band) => {
		const x = Array.from(places, (place) => 4 + DOT_PLACES.indexOf(place) * 112 / 63);
		const step = 7 / Math.max(1, places.length - 1);
		const dots = x.map((at, i) => places[i] === "." ? ""
			: `M${at.toFixed(1)} ${(15 * band + 4 + step * i).toFixed(1)}h0`);
		const known = x.filter((at, i) => places[i] !== ".");
		const mean = known.reduce((sum, at) => sum + at, 0) / known.length;
		const group = drawn("g", { class: side, fill: "none" });

		group.append(drawn("path", { d: `M${mean.toFixed(1)} ${15 * band + 1}v13` }),
			drawn("path", { class: "runs", "stroke-linecap": "round", d: dots.join("") }));
		picture.append(group);
	});
	cell.append(picture);
	return cell;
}

function madeCell(text, i, column, picture) {
	const kinds = column.split(" ");

	if (kinds.includes("number"))
		return numberCell(text, i === 0 ? "th" : "td");
	if (i === 0)
		return nameCell(text, picture);
	if (kinds.includes("sorted"))
		return verdictCell(text);
	return kinds.includes("plain") ? dotsCell(text) : made("td", "", text);
}

function makeTable(text) {
	const [caption, headings, ...lines] = text.textContent.replace(/\n$/, "").split("\n");
	const columns = text.dataset.columns.split(",");
	const scroll = made("div", "scroll");
	const table = made("table", text.dataset.class);
	const head = table.createTHead().insertRow();
	const body = table.createTBody();

	scroll.tabIndex = 0;
	scroll.setAttribute("role", "region");
	scroll.setAttribute("aria-label", text.dataset.label);
	table.createCaption().append(made("span", "", caption));
	headings.split("\t").forEach((heading, i) => {
		const cell = made("th", columns[i], heading);

		cell.scope = "col";
		head.append(cell);
	});
	for (const line of lines) {
		const row = made("tr");

		row.append(...line.split("\t").map((cell, i) => madeCell(cell, i, columns[i], text.dataset.picture)));
		body.append(row);
	}
	scroll.append(table);
	text.replaceWith(scroll);
}

document.querySelectorAll("pre.rows").forEach(makeTable);
