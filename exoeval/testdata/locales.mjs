// Writes ../internal/realm/locales.txt: how this Node.js formats, as tables. TestIntl and TestLocales compare what the evaluator
// makes of them with Node.js.
//   node locales.mjs           rewrites locales.txt
//   node locales.mjs --check   compares it with this Node.js
//
// A line has a key and values. In the patterns of dates {y} is a year, {m} a month, {d} a day, {i} a minute, {s} a second, and {h}, {k},
// {x}, {q} an hour of the cycles h12, h23, h11, h24; a capital letter has two digits. {0} and so on are names by the month or the day of the
// week, {p} is the half of the day, {z} and {Z} are the zone.
import { readFileSync, writeFileSync } from 'node:fs';
const of = '48.0'; // the CLDR that was written from: other versions have other texts
if (process.argv.includes('--check') && process.versions.cldr !== of) { console.log(`this Node.js has CLDR ${process.versions.cldr}, not ${of}: nothing is compared`); process.exit(0); }
const letters = { '-': undefined, n: 'numeric', 2: '2-digit', l: 'long', s: 'short', w: 'narrow' };
const styles = { f: 'full', l: 'long', m: 'medium', s: 'short' };
const cycles = { '-': {}, 1: { hourCycle: 'h11' }, 2: { hourCycle: 'h12' }, 3: { hourCycle: 'h23' }, 4: { hourCycle: 'h24' }, t: { hour12: true }, f: { hour12: false } };
const probe = new Date('2007-02-04T03:05:09Z');
const at = (h) => new Date(Date.UTC(2007, 1, 4, h, 5, 9));
const powers = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
// What clocks are called, by the zone and by how many minutes they show more than UTC. All locales have the same kinds of clocks.
// Where Node.js has another name for a shift of the zone in earlier years, the one here is from the next year on.
const zip = readFileSync(new URL('../../internal/zone/zoneinfo.zip', import.meta.url));
const names = [];
for (let at = zip.readUInt32LE(zip.length - 6); zip.readUInt32LE(at) === 0x02014b50; at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30)) names.push(zip.toString('latin1', at + 46, at + 46 + zip.readUInt16LE(at + 28)));
const clocks = new Map(), kinds = new Map();
for (const timeZone of names) {
	let of;
	const format = (locale, timeZoneName) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName, year: 'numeric' });
	try { of = [format('en-US', 'long'), format('en-US', 'short'), format('en-GB', 'short'), format('en-US', 'longOffset')]; } catch { continue; } // a folder, or Factory
	const shifts = new Map();
	for (let t = Date.UTC(1990, 0, 1); t < Date.UTC(2045, 0, 1); t += 61 * 86400e3) {
		const [long, us, gb, offset] = of.map((f) => f.format(t).slice(6)), [, sign, h, m] = offset.match(/^GMT(?:([+-])(\d\d):(\d\d))?/);
		const shift = (sign === '-' ? -1 : 1) * ((h ?? 0) * 60 + Number(m ?? 0)), kind = /\d/.test(long) ? '' : [long, us.replace(/.*\d.*/, ''), gb.replace(/.*\d.*/, '')].join();
		if (kind !== '' && !kinds.has(kind)) kinds.set(kind, [timeZone, t]);
		const last = shifts.get(shift);
		shifts.set(shift, { kind, since: !last ? 1990 : last.kind === kind ? last.since : new Date(t).getUTCFullYear() + 1 });
	}
	clocks.set(timeZone, shifts);
}
let out = '';
for (const locale of ['en-US', 'en-GB', 'de', 'fr', 'es', 'sv-SE']) {
	const lines = [], sets = [];
	const add = (...a) => lines.push(a.join('\t'));
	const set = (names) => { const s = names.join('\t'); if (!sets.includes(s)) sets.push(s); return `{${sets.indexOf(s)}}`; };
	const pattern = (o) => {
		const f = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...o });
		const part = (d, type) => f.formatToParts(d).find((p) => p.type === type)?.value;
		const two = (type, v, letter) => `{${part(probe, type).length === 2 && v.toString().length < 2 || type === 'year' && part(probe, type).length === 2 ? letter.toUpperCase() : letter}}`;
		return f.formatToParts(probe).map(({ type, value }) => {
			switch (type) {
				case 'literal': return value;
				case 'year': return two(type, 2007, 'y');
				case 'month': return /^\d/.test(value) ? two(type, 2, 'm') : set(Array.from({ length: 12 }, (_, m) => part(new Date(Date.UTC(2007, m, 4)), type)));
				case 'weekday': return set(Array.from({ length: 7 }, (_, d) => part(new Date(Date.UTC(2007, 1, 4 + d)), type)));
				case 'day': return two(type, 4, 'd');
				case 'hour': return two(type, 3, { '0 12': 'k', '12 12': 'h', '0 0': 'x', '24 12': 'q' }[`${Number(part(at(0), type))} ${Number(part(at(12), type))}`]);
				case 'minute': return two(type, 5, 'i');
				case 'second': return two(type, 9, 's');
				case 'dayPeriod': return '{p}';
				case 'timeZoneName': return value === 'UTC' ? '{z}' : '{Z}';
			}
			throw new Error(`${locale} ${JSON.stringify(o)}: ${type}`);
		}).join('').replaceAll('\u202f', ' '); // as format() does, and formatToParts() does not
	};
	// joint is what stands between a date and a time.
	const joint = (date, time) => {
		const f = (o) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...o }).format(probe);
		const [d, t, both] = [f(date), f(time), f({ ...date, ...time })];
		if (!both.startsWith(d) || !both.endsWith(t)) throw new Error(`${locale}: ${both} is not ${d} and ${t}`);
		return both.slice(d.length, both.length - t.length);
	};
	// zoned is a pattern without a zone, with its short and its long name.
	const zoned = (f) => [undefined, 'short', 'long'].map((timeZoneName) => f({ timeZoneName }));
	const tails = (o) => ['short', 'long'].map((timeZoneName) => pattern({ ...o, timeZoneName }).slice(pattern(o).length));
	for (const w of '-lsw') for (const y of '-n2') for (const m of '-n2lsw') for (const d of '-n2') {
		const o = { weekday: letters[w], year: letters[y], month: letters[m], day: letters[d] };
		if (w + y + m + d !== '----') add('d' + w + y + m + d, pattern(o), joint(o, { hour: 'numeric', minute: '2-digit' }), ...tails(o));
	}
	for (const h of '-n2') for (const m of '-n2') for (const s of '-n2') for (const [c, cycle] of Object.entries(cycles))
		if (h + m + s !== '---' && (h !== '-' || c === '-')) add('t' + h + m + s + c, ...zoned((z) => pattern({ hour: letters[h], minute: letters[m], second: letters[s], ...cycle, ...z })));
	for (const [s, dateStyle] of Object.entries(styles)) add('D' + s, pattern({ dateStyle }), joint({ dateStyle }, { timeStyle: 'short' }));
	for (const [s, timeStyle] of Object.entries(styles)) for (const [c, cycle] of Object.entries(cycles)) add('T' + s + c, pattern({ timeStyle, ...cycle }));
	add('p', ...[3, 15].map((h) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric', hour12: true }).formatToParts(at(h)).find((p) => p.type === 'dayPeriod').value.replaceAll('\u202f', ' ')));
	const zone = (timeZone, o = {}) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short', ...o }).formatToParts(probe).find((p) => p.type === 'timeZoneName').value;
	[...kinds.values()].forEach(([timeZone, t], i) => {
		const [short, long] = ['short', 'long'].map((timeZoneName) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName }).formatToParts(t).find((p) => p.type === 'timeZoneName').value);
		add('z' + i, /\d/.test(short) ? '' : short, long);
	});
	const shift = (z) => zone(z).match(/^(\D+)\d/)[1];
	add('zone', zone('UTC', { timeZoneName: 'long' }), shift('Asia/Kolkata'), shift('America/Sao_Paulo'));
	const number = (n, o) => new Intl.NumberFormat(locale, o).format(n);
	const parts = (n, o, type) => new Intl.NumberFormat(locale, o).formatToParts(n).filter((p) => p.type === type).map((p) => p.value)[0];
	add('number', parts(1e9, {}, 'group'), parts(1.5, {}, 'decimal'), number(1234).length > 4 ? 1 : 2, parts(-1, {}, 'minusSign'), number(1, { style: 'percent' }).replace('100', ''), number(1, { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 }).startsWith('€') ? 'before' : 'behind',
		number(-1, { style: 'currency', currency: 'EUR', currencySign: 'accounting' }).startsWith('(') ? 'parentheses' : 'sign', number(1, { style: 'percent', notation: 'compact' }).replace('100', ''));
	for (const p of powers) for (const compactDisplay of ['short', 'long']) {
		const form = (n) => number(n * 10 ** p, { notation: 'compact', compactDisplay, useGrouping: false });
		add('k' + compactDisplay[0] + p, p + 1 - form(2).match(/^\d+/)[0].length, form(1).replace(/\d+/, '#'), form(1.5).replace(/\d+(.\d+)?(?!\d)/, '#'), form(2).replace(/\d+/, '#'));
	}
	for (const currency of Intl.supportedValuesOf('currency')) {
		const [symbol, narrow] = ['symbol', 'narrowSymbol'].map((currencyDisplay) => parts(1, { style: 'currency', currency, currencyDisplay }, 'currency'));
		const digits = (parts(1, { style: 'currency', currency }, 'fraction') ?? '').length;
		if (symbol !== currency || narrow !== currency || digits !== 2) add('$' + currency, symbol, narrow, digits);
	}
	out += `@${locale}\n` + sets.map((s, i) => `{${i}}\t${s}\n`).join('') + lines.join('\n') + '\n';
}
const kind = [...kinds.keys()];
out += '@zones\n' + [...clocks].map(([zone, shifts]) => [zone, ...[...shifts].map(([shift, of]) => `${shift}=${of.kind === '' ? '' : kind.indexOf(of.kind)}@${of.since}`)].join('\t') + '\t\n').join('');
const name = new URL('../internal/realm/locales.txt', import.meta.url);
if (!process.argv.includes('--check')) writeFileSync(name, out);
else if (readFileSync(name, 'utf8') !== out) { console.log('locales.txt is not what this Node.js gives'); process.exit(1); }
