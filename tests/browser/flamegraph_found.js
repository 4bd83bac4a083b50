/*
 * What search finds: every function of the folded text a picture was drawn from, with its share.
 * The claims of flamegraph.test.js, with its helpers.
 */
"use strict";

const fs = require("fs");
const path = require("path");

/* Functions of folded text by name: total weight, a stack counted once. */
function readFolded(file) {
	const weights = new Map();
	let whole = 0;

	for (const line of fs.readFileSync(file, "utf8").split("\n").filter((each) => each && each[0] !== "#")) {
		const cut = line.lastIndexOf(" ");
		const weight = Number(line.slice(cut + 1));

		whole += weight;
		for (const name of new Set(line.slice(0, cut).split(";").map((each) => each.replace(/_\[[ijk]\]$/, ""))))
			weights.set(name, (weights.get(name) || 0) + weight);
	}
	return Array.from(weights, ([name, weight]) => [name, 100 * weight / whole]);
}

/* Types each name into the search field and reads what is said. */
const searchAll = (page, names) => page.evaluate((all) => {
	const field = document.querySelector(".field");

	return all.map((name) => {
		field.value = "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
		field.dispatchEvent(new Event("input"));
		return document.querySelector(".result").textContent;
	});
}, names);

module.exports = ({ claim, holds, folder, folded }) => {
	for (const picture of folded) {
		claim("search finds every function, with its share: " + picture, picture, async (page) => {
			const functions = readFolded(path.join(folder, picture + ".folded"));
			/* Without capitals a search takes no heed of them. */
			const same = new Map();

			functions.forEach(([name]) => same.set(name.toLowerCase(), (same.get(name.toLowerCase()) || 0) + 1));
			const asked = functions.filter(([name]) => same.get(name.toLowerCase()) === 1 && name.length < 1000)
				.filter((_, i, all) => i % Math.ceil(all.length / 3000) === 0);
			const said = await searchAll(page, asked.map(([name]) => name));
			const unlisted = await page.evaluate(() => Number(document.documentElement.getAttribute("data-unlisted")));
			let missing = 0;

			holds(asked.length > 3, "functions");
			asked.forEach(([name, share], i) => {
				const found = /^matched ([\d.]+) %/.exec(said[i]);

				missing += said[i].startsWith("no match; ");
				holds(said[i].startsWith("no match; ") && share < 0.01 && unlisted > 0 || found && Math.abs(Number(found[1]) - share) <= 0.1,
					name + " has " + share.toFixed(3) + " %, and it says: " + said[i]);
			});
			holds(missing <= asked.length * unlisted / functions.length * 2, missing + " are missing");
		});
	}
};
