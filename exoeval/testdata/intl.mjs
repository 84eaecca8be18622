// What Node.js makes of expressions that format, in UTC and in all zones, for TestIntl.
//   node intl.mjs           rewrites intl.json
//   node intl.mjs --check   compares it with this Node.js
import { readFileSync, writeFileSync } from 'node:fs';
const of = '48.0'; // the CLDR that was written from: other versions have other texts
if (process.argv.includes('--check') && process.versions.cldr !== of) { console.log(`this Node.js has CLDR ${process.versions.cldr}, not ${of}: nothing is compared`); process.exit(0); }
process.env.TZ = 'UTC';
const numbers = ['0', '-0', '1', '-1', '0.5', '1.5', '2.5', '-2.5', '1.005', '1.255', '0.1 + 0.2', '12.345', '-12.345', '999.995', '999', '1000', '1234.5678', '-1234567.891', '1e6', '123456789.123', '1e21', '1.5e-7', '0.000123456', 'NaN', 'Infinity', '-Infinity'];
const numberOptions = ['', "{ style: 'percent' }", "{ style: 'percent', minimumFractionDigits: 1 }", "{ style: 'percent', maximumFractionDigits: 2 }", "{ style: 'currency', currency: 'USD' }", "{ style: 'currency', currency: 'EUR' }",
	"{ style: 'currency', currency: 'JPY' }", "{ style: 'currency', currency: 'GBP', maximumFractionDigits: 0 }", "{ style: 'currency', currency: 'CHF' }", "{ style: 'currency', currency: 'usd', minimumFractionDigits: 0 }", "{ style: 'currency', currency: 'USD', currencyDisplay: 'code' }",
	"{ style: 'currency', currency: 'USD', currencySign: 'accounting' }", "{ style: 'currency', currency: 'INR', currencyDisplay: 'narrowSymbol' }", '{ minimumFractionDigits: 2 }', '{ maximumFractionDigits: 0 }', '{ maximumFractionDigits: 1 }', '{ minimumFractionDigits: 2, maximumFractionDigits: 2 }', '{ minimumFractionDigits: 2, maximumFractionDigits: 4 }', '{ maximumFractionDigits: 10 }',
	'{ useGrouping: false }', '{ minimumIntegerDigits: 2 }', '{ minimumIntegerDigits: 5, useGrouping: false }', '{ maximumSignificantDigits: 3 }', '{ minimumSignificantDigits: 5 }', "{ notation: 'compact' }", "{ notation: 'compact', maximumFractionDigits: 1 }", "{ notation: 'compact', compactDisplay: 'long' }", "{ notation: 'compact', style: 'currency', currency: 'USD' }",
	"{ signDisplay: 'always' }", "{ signDisplay: 'exceptZero' }", "{ signDisplay: 'never' }", "{ style: 'percent', signDisplay: 'exceptZero' }"];
const dates = ["'2026-01-05T03:04:05.678Z'", "'2026-11-30T12:00:00Z'", "'2026-07-04T00:30:09Z'", "'1999-12-31T23:59:59Z'", "'0987-06-05T13:14:15Z'"];
const dateOptions = ['', "{ dateStyle: 'full' }", "{ dateStyle: 'long' }", "{ dateStyle: 'medium' }", "{ dateStyle: 'short' }", "{ timeStyle: 'medium' }", "{ timeStyle: 'short' }", "{ timeStyle: 'long' }", "{ timeStyle: 'full' }", "{ dateStyle: 'full', timeStyle: 'short' }", "{ dateStyle: 'long', timeStyle: 'short' }", "{ dateStyle: 'medium', timeStyle: 'short' }", "{ dateStyle: 'short', timeStyle: 'medium' }", "{ dateStyle: 'medium', timeZone: 'UTC' }",
	"{ weekday: 'long' }", "{ weekday: 'short' }", "{ weekday: 'narrow' }", "{ month: 'long' }", "{ month: 'short' }", "{ month: 'narrow' }", "{ month: 'numeric' }", "{ month: '2-digit' }", "{ year: 'numeric' }", "{ year: '2-digit' }", "{ day: 'numeric' }", "{ day: '2-digit' }",
	"{ year: 'numeric', month: 'long' }", "{ year: 'numeric', month: 'short' }", "{ year: '2-digit', month: 'short' }", "{ year: 'numeric', month: 'numeric' }", "{ year: 'numeric', month: '2-digit' }", "{ month: 'long', day: 'numeric' }", "{ month: 'short', day: 'numeric' }", "{ month: 'short', day: '2-digit' }", "{ month: 'numeric', day: 'numeric' }", "{ month: '2-digit', day: '2-digit' }",
	"{ year: 'numeric', month: 'long', day: 'numeric' }", "{ year: 'numeric', month: 'short', day: 'numeric' }", "{ year: 'numeric', month: 'short', day: '2-digit' }", "{ year: 'numeric', month: '2-digit', day: '2-digit' }", "{ year: 'numeric', month: 'numeric', day: 'numeric' }", "{ year: '2-digit', month: 'numeric', day: 'numeric' }", "{ year: '2-digit', month: '2-digit', day: '2-digit' }",
	"{ weekday: 'long', month: 'long', day: 'numeric' }", "{ weekday: 'short', month: 'short', day: 'numeric' }", "{ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }", "{ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }", "{ weekday: 'short', year: 'numeric', month: 'numeric', day: 'numeric' }", "{ weekday: 'short', month: 'numeric', day: 'numeric' }",
	"{ hour: 'numeric' }", "{ hour: '2-digit' }", "{ hour: 'numeric', minute: '2-digit' }", "{ hour: '2-digit', minute: '2-digit' }", "{ hour: '2-digit', minute: '2-digit', second: '2-digit' }", "{ hour: '2-digit', minute: '2-digit', hour12: false }", "{ hour: 'numeric', minute: 'numeric', hour12: false }", "{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }", "{ hour12: false }", "{ minute: '2-digit' }", "{ minute: '2-digit', second: '2-digit' }",
	"{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }", "{ timeZoneName: 'short' }", "{ timeZone: 'UTC' }",
	"{ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }", "{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' }", "{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }", "{ month: 'short', day: 'numeric', hour: 'numeric' }", "{ weekday: 'long', hour: 'numeric' }", "{ weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }"];
const cases = [];
const add = (code) => {
	let want;
	try { want = String(eval(code)); } catch (e) { want = e.name; }
	cases.push([code, want]);
};
const with_ = (o) => o === '' ? '' : `'en-US', ${o}`;
for (const o of numberOptions) for (const n of numbers) add(`(${n}).toLocaleString(${with_(o)})`);
for (const o of numberOptions) add(`new Intl.NumberFormat(${with_(o)}).format(1234.5)`);
for (const o of dateOptions) for (const d of dates) add(`new Date(${d}).toLocaleString(${with_(o)})`);
for (const o of dateOptions.filter((o) => !o.includes('Style'))) {
	add(`new Date(${dates[0]}).toLocaleDateString(${with_(o)})`);
	add(`new Date(${dates[0]}).toLocaleTimeString(${with_(o)})`);
	add(`new Intl.DateTimeFormat(${with_(o)}).format(new Date(${dates[0]}))`);
}
for (const code of ["new Date(NaN).toLocaleString()", "new Intl.DateTimeFormat('en-US').format(NaN)", "[1234.5, 2].toLocaleString()", "[1, 2].map(new Intl.NumberFormat('en', { minimumFractionDigits: 1 }).format).join()", "(1).toLocaleString([])", "(1).toLocaleString(['en-US'])", "(1).toLocaleString('en-US', { style: 'currency' })",
	"(1).toLocaleString('en-US', { style: 'nonsense' })", "(1).toLocaleString('en-US', { maximumFractionDigits: 101 })", "(1).toLocaleString('en-US', { minimumFractionDigits: 5, maximumFractionDigits: 2 })", "new Date(0).toLocaleString('en-US', { month: 'nonsense' })", "new Date(0).toLocaleDateString('en-US', { timeStyle: 'short' })", "new Date(0).toLocaleString('en-US', { dateStyle: 'short', month: 'long' })",
	"new Date(0).toLocaleDateString(undefined, { dateStyle: 'medium' })", "new Intl.DateTimeFormat('en-US').resolvedOptions().timeZone", "new Intl.NumberFormat().resolvedOptions().locale", "new Intl.DateTimeFormat('en-US', { month: 'long' }).format(0)", "Intl.NumberFormat('en-US').format('1234')", "new Intl.NumberFormat('en-US').format(null)"]) add(code);

// The same in other locales and zones, with options as they are drawn.
const locales = ['en-US', 'en-GB', 'de', 'de-DE', 'fr', 'fr-FR', 'es', 'es-ES', 'sv', 'sv-SE'], zones = Intl.supportedValuesOf('timeZone');
let seed = 1;
const pick = (list) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return list[(seed >>> 8) % list.length]; };
const draw = (options, share) => '{ ' + Object.entries(options).filter(() => pick([...Array(100).keys()]) < share).map(([k, v]) => `${k}: ${JSON.stringify(pick(v))}`).join(', ') + ' }';
for (const l of ['en-GB', 'de', 'fr', 'es', 'sv']) {
	for (const o of numberOptions) for (const n of ['0', '-1234.5', '0.255', '12345678.9']) add(`(${n}).toLocaleString('${l}', ${o || '{}'})`);
	for (const n of ['999', '999.96', '1000', '1234', '-9999.9', '99950', '123456', '999999', '1e6', '1.5e6', '-1999999', '1e9', '12.3e9', '123e9', '1e12', '9.99e14', '1e15', '5e18']) for (const o of ["{ notation: 'compact' }", "{ notation: 'compact', compactDisplay: 'long' }"]) add(`(${n}).toLocaleString('${l}', ${o})`);
	for (const c of Intl.supportedValuesOf('currency')) if (l === 'de' || /^[A-E]/.test(c)) add(`(-1234.5).toLocaleString('${l}', { style: 'currency', currency: '${c}' })`);
	for (const o of dateOptions) add(`new Date('2026-03-05T15:04:05.678Z').toLocaleString('${l}', ${o || '{}'})`);
}
for (const z of zones) for (const [year, zone] of [[2026, 'short'], [pick([1955, 1975, 1995, 2015, 2040]), pick(['short', 'long'])]]) add(`new Date('${year}-0${pick([1, 2, 3, 4, 5, 6, 7, 8, 9])}-0${pick([1, 4, 8])}T05:30:00Z').toLocaleString('${pick(locales)}', { timeZone: '${z}', timeZoneName: '${zone}' })`);
const digits = ['numeric', '2-digit'], words = ['long', 'short', 'narrow'];
for (let i = 0; i < 700; i++) {
	const o = draw({ weekday: words, year: digits, month: [...digits, ...words], day: digits, hour: digits, minute: digits, second: digits, hour12: [true, false], hourCycle: ['h11', 'h12', 'h23', 'h24'], timeZoneName: ['short'], timeZone: zones }, pick([20, 40, 60]));
	add(`new Date(${pick(dates)}).${pick(['toLocaleString', 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])}('${pick(locales)}', ${o})`);
}
for (let i = 0; i < 300; i++) add(`new Intl.DateTimeFormat('${pick(locales)}', ${draw({ dateStyle: ['full', 'long', 'medium', 'short'], timeStyle: ['full', 'long', 'medium', 'short'], hour12: [true, false], timeZone: zones }, 60)}).format(new Date(${pick(dates)}))`);
for (let i = 0; i < 500; i++) {
	const o = draw({ style: ['decimal', 'percent', 'currency'], currency: ['USD', 'EUR', 'SEK', 'JPY', 'GBP', 'CHF', 'KWD'], currencyDisplay: ['symbol', 'code', 'narrowSymbol'], currencySign: ['accounting'], notation: ['compact'], compactDisplay: ['short', 'long'], signDisplay: ['auto', 'always', 'exceptZero', 'negative', 'never'], useGrouping: [true, false, 'always', 'auto', 'min2', 'true', 'false'], minimumIntegerDigits: [1, 3], minimumFractionDigits: [0, 1, 2], maximumFractionDigits: [0, 2, 3], minimumSignificantDigits: [1, 3], maximumSignificantDigits: [3, 5] }, pick([15, 25]));
	add(`(${pick(numbers)}).toLocaleString('${pick(locales)}', ${o})`);
}
const ordered = ['a', 'A', 'b', 'ä', 'à', 'å', 'z', 'ö', 'ø', 'ß', 'ss', 'é', 'e\u0301', 'E', 'ñ', 'n', 'resume', 'Résumé', '2', '10', '01', 'a2', 'a10', 'file 9', 'file 10', '-', '', 'a b', 'a-b', 'ab', 'ı', '日本', 'ア', 'α', '€', '😀', '10.5', 'œuf', 'oeuf', 'llama'];
for (const l of ['en-US', 'en-GB', 'de', 'fr', 'es', 'sv-SE', undefined]) for (const o of ['undefined', '{}', '{ numeric: true }', "{ sensitivity: 'base' }", "{ sensitivity: 'accent' }", "{ sensitivity: 'base', numeric: true }"]) add(`${JSON.stringify(ordered)}.map((a, _, all) => all.map((b) => Math.sign(a.localeCompare(b, ${l && `'${l}'`}, ${o})) + 1).join('')).join()`);
for (const code of ["new Date(0).toLocaleString('de', { timeZone: 'europe/berlin' })", "new Date(0).toLocaleString('en-US', { timeZone: 'Europe/Berlon' })", "new Date(1e12).toLocaleString('en-US', { timeZone: 'US/Pacific', timeZoneName: 'long' })", "new Date(0).toLocaleString('sv', { timeZone: 'GMT', timeZoneName: 'short' })", "new Date(1e12).toLocaleString('sv', { timeZone: 'Etc/GMT+5', timeZoneName: 'short' })", "new Date(0).toLocaleString('sv', { timeZone: '' })", "new Date(0).toLocaleString('sv', { timeZone: 'Factory' })", "new Intl.NumberFormat('de-DE').resolvedOptions().locale"]) add(code);
const out = '[\n' + cases.map((c) => JSON.stringify(c)).join(',\n') + '\n]\n', name = new URL('intl.json', import.meta.url);
if (!process.argv.includes('--check')) writeFileSync(name, out);
else if (readFileSync(name, 'utf8') !== out) { console.log('intl.json is not what this Node.js gives'); process.exit(1); }
console.log(`${cases.length} calls`);
