/*
 * What the tests of pages in a browser share: a list of claims, each checked in a fresh context and
 * told as one result line.
 */
"use strict";

const { chromium } = require("playwright-core");

const claims = [];

/*
 * `check(page)` fails by throwing. Options: themes (["light"]), javaScript (true), viewport,
 * permissions, `address(page)`, of what is opened, and `follows`, what else may be opened.
 */
function claim(text, options, check) {
	claims.push({ text, check, options });
}

function expect(actual, expected, what) {
	if (JSON.stringify(actual) !== JSON.stringify(expected))
		throw new Error(what + ": expected " + JSON.stringify(expected) + ", found " + JSON.stringify(actual));
}

function holds(condition, what) {
	if (!condition)
		throw new Error(what);
}

async function checkOnce(browser, theme, { check, options }) {
	const context = await browser.newContext({
		colorScheme: theme,
		viewport: options.viewport || { width: 1200, height: 900 },
		javaScriptEnabled: options.javaScript !== false,
		permissions: options.permissions || [],
	});
	const page = await context.newPage();
	const errors = [];

	page.setDefaultTimeout(60000);
	page.on("pageerror", (error) => errors.push(error.message));
	page.on("console", (message) => {
		if (message.type() === "error" && !options.refusals)
			errors.push(message.text());
	});
	page.on("request", (request) => {
		if (request.url() !== options.address && !request.url().endsWith("/favicon.ico") &&
			!(options.follows && options.follows.test(request.url())))
			errors.push("asked for " + request.url());
	});
	try {
		await page.goto(options.address);
		await check(page);
		expect(errors, [], "errors in the page");
	} finally {
		await context.close();
	}
}

/* Runs every claim, or those that CLAIMS, a regular expression, is found in; how many failed. */
async function runClaims(what) {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});
	let failed = 0;

	for (const one of claims.filter((each) => each.text.match(process.env.CLAIMS || ""))) {
		try {
			for (const theme of one.options.themes || ["light"])
				await checkOnce(browser, theme, one);
			console.log("pass browser " + what + ": " + one.text);
		} catch (error) {
			failed++;
			console.log("fail browser " + what + ": " + one.text + "\n  " +
				String(error.message).split("\n").join("\n  "));
		}
	}
	await browser.close();
	return failed;
}

module.exports = { claim, expect, holds, runClaims };
