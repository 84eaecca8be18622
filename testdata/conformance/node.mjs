// Compares the language of programs with this Node.js. Each line of js/*.js is an
// expression, or the body of a function in braces; what Node.js shows of it stands
// in node.json, with which TestConformance compares the evaluator.
//
//   TZ=UTC node node.mjs           rewrites node.json; needs Node.js 24
//   TZ=UTC node node.mjs --check   compares it with this Node.js, older ones without js/newer.js
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
process.env.TZ = 'UTC';
const here = new URL('./', import.meta.url), read = (n) => readFileSync(new URL(n, here), 'utf8');
const show = read('show.js'), major = Number(process.versions.node.split('.')[0]), check = process.argv.includes('--check');
const AsyncFunction = (async () => {}).constructor;
const all = {};
let count = 0;
for (const file of readdirSync(new URL('js/', here)).sort()) {
	if (check && major < 24 && file === 'newer.js') continue;
	all[file] = [];
	for (const line of read('js/' + file).split('\n')) {
		if (line === '' || line.startsWith('//')) continue;
		const f = line.startsWith('{') ? `async () => ${line}` : `async () => (${line}\n)`;
		let out;
		try { out = await new AsyncFunction(`'use strict';\n${show}\nreturn await show(${f});`)(); } catch (e) { out = 'throws ' + e.name; }
		all[file].push([line, out]);
		count++;
	}
}
const name = new URL('node.json', here);
if (!check) {
	writeFileSync(name, '{\n' + Object.entries(all).map(([f, ls]) => `${JSON.stringify(f)}: [\n${ls.map((l) => JSON.stringify(l)).join(',\n')}\n]`).join(',\n') + '\n}\n');
} else {
	const want = JSON.parse(readFileSync(name, 'utf8'));
	let bad = 0;
	for (const [f, ls] of Object.entries(all)) {
		if (ls.length !== want[f]?.length) { bad++; console.log(`${f}: ${ls.length} lines, node.json has ${want[f]?.length}`); continue; }
		ls.forEach(([line, out], i) => { if (want[f][i][0] !== line || want[f][i][1] !== out) { bad++; console.log(`${f}: ${line}\n  this Node.js: ${out}\n  node.json:    ${want[f][i][1]}`); } });
	}
	console.log(`${count} lines, ${bad} differ`);
	if (bad > 0) process.exit(1);
}
