// What Node.js reads in the texts of dates, in UTC and in New York, for TestDateTexts.
//   node date.mjs           rewrites date.json
//   node date.mjs --check   compares it with this Node.js
import { readFileSync, writeFileSync } from 'node:fs';
const texts = new Set();
const days = ['2024-01-02', '2024-1-2', '2024/01/02', '2024/1/2', '01/02/2024', '1/2/2024', '1/2/24', '13/02/2024', '1-2-2024', '01.02.2024', '2024.01.02', '20240102', '2024-02-30', '2024-02-31', '2024-13-01', '2024-00-10', '+002024-01-02', '-000001-01-02', '-000000-01-01', '+275760-09-13', '2024-01', '2024', '24', '99', '1', '0', '49 1 1', '50/1/1',
	'Jan 2, 2024', 'January 2, 2024', 'Jan 2 2024', '2 Jan 2024', '2 January 2024', '2-Jan-2024', '2-Jan-24', 'Jan-02-2024', '2024 Jan 2', '2024-Jan-02', 'January 2024', 'Jan 2024', '2 Jan', 'Jan 2', 'Jan', 'Jan. 2, 2024', 'Sept 3, 2024', 'Tue Jan 02 2024', 'Tue, 02 Jan 2024', 'Tuesday, January 2, 2024', 'Tuesday, 2 January 2024', '2nd January 2024', 'January 2nd, 2024', '2. Januar 2024', '2 janvier 2024', '2. März 2024', '2 Mai 2024', '2024年1月2日', 'on 2024-01-02', 'Date: 2024/1/2', 'the 2 of Jan 2024'];
const clocks = ['10:00', '10:00:05', '10:00:05.678', '10:00:05.6', '10:00:05.6789', '10:00:05,678', '9:05', '09:5', '10', '24:00', '24:00:00', '24:01', '25:00', '10:60', '10:00:60', '10:00 AM', '10:00 PM', '10:00pm', '10:00:05 PM', '12:00 AM', '12:30 pm', '13:00 PM', '0:30 PM', '10 PM', '10PM', '10.30', '10h30', '1000', '10::05', '10:00:05:678', 'noon'];
const zones = ['Z', ' Z', 'z', ' UTC', ' GMT', 'UTC', ' UT', ' UTC+2', ' GMT+0200', ' GMT-0330', ' GMT+02:00', '+02:00', ' +02:00', '+0200', ' +0200', '-05', ' -05', '-5', '+5:30', '+02:60', '+25:00', '-00:00', ' EST', ' EDT', ' CST', ' PDT', ' MST', ' CET', ' BST', ' IST', ' America/New_York', ' (UTC)', ' GMT+0100 (Central European Standard Time)', ' GMT+0100 (CET)', ' +12345', ' +123', ' \u2212 05:00', '+0060', '+2360', '[Europe/Berlin]'];
for (const d of days) texts.add(d);
for (const d of days) for (const c of ['10:00', '10:00:05', '10:00:05 PM', '10:00 UTC', '10:00:05 GMT+0200 (CEST)', '10:00:05 +0200', '10:00 EST']) texts.add(`${d} ${c}`);
for (const d of ['2024-01-02', '2024/01/02', '1/2/2024', 'Jan 2, 2024', 'Tue, 02 Jan 2024', 'Tue Jan 02 2024', '2 Jan 2024', '2024', '2024-01']) for (const sep of [' ', 'T', ', ', ' at ', '  ', 't']) for (const c of clocks) texts.add(d + sep + c);
for (const d of ['2024-07-01T10:00', '2024-07-01T10:00:05.678', '2024-07-01 10:00', '7/1/2024 10:00', 'Jul 1, 2024 10:00', 'Mon, 01 Jul 2024 10:00:05', 'Mon Jul 01 2024 10:00:05', '2024-07-01', '2024-07', 'Jul 1, 2024', '1/7/24 9:00 PM']) for (const z of zones) texts.add(d + z);
for (const t of ['', ' ', 'null', 'undefined', 'NaN', 'Invalid Date', 'today', 'now', 'tomorrow', 'abc', '(2024)', '2024 (x', '2024 (x) 10:00', '(a(b)c) 2024-01-02', '2024-01-02)', '2024-01-02 )', '\u00a02024-01-02', '2024-01-02\u202f10:00', '1/2/2024, 10:00:05\u202fAM', '1/2/2024, 10:00:05 AM', '\ufeff2024-01-02', '2024-01-02\n', '2024-01-02\t10:00', '2024-01-02\u0000x', '2024-01-02T10:00:00.123456789Z', '2024-01-02T10:00:00.0000000001Z', '2024-01-02T10:00:00.0123456789Z', '1704189600', '1704189600000', '1.5', '-1', '+1', '-2024', '12:00', '2024-01-02T', '2024-01-02T10', '2024-01-02T10:00:00+02', '2024-01-02T10:00:00 +02:00', '2024-W01-1', '2024-002', 'P1D', '2024-01-02T24:00:00.001Z', '2024-01-02T24:00:00Z', '275761-01-01', '+275760-09-13T00:00:00.001Z', 'Sat, 13 Sep 275760 00:00:00 GMT', '0000-01-01', '0001-01-01', '1/1/0001', '100000-01-01', '1/1/-1', '2024-01-02T10:00:00Z Z', '2024-01-02 10:00 PST8PDT', 'T10:00', 'Jan 32 2024', '31 Jun 2024', '2024-3-10 2:30', '3/10/2024 2:30 AM', '11/3/2024 1:30 AM', '2024-06-31', '١/٢/٢٠٢٤', '２０２４-01-02', 'Jan2,2024', '2Jan2024', '2jan 2024', 'JAN 2 2024', 'jAnuAry 2 2024', 'janx 2 2024', 'am 2 Jan 2024', '2 Jan 2024 am', '2024-01-02T10:00:00am', '10:00 2024-01-02', '10:00 Jan 2 2024', 'PM 10:00 Jan 2 2024', '2024-01-02-10', '2024-01-02 -10', '2024/01/02 10:00:00.5 pm', '2024-01-02T10:00:00.12345678901234567890Z', '1.-2.2024', 'Jan 1 584556019']) texts.add(t);
for (const t of [0, 1.7e12, -1e12, 4e12]) for (const how of ['toString', 'toUTCString', 'toISOString', 'toLocaleString', 'toDateString', 'toLocaleDateString']) texts.add(new Date(t)[how]());
for (const l of ['en-US', 'en-GB', 'de', 'fr', 'es', 'sv-SE']) for (const o of [{ dateStyle: 'full' }, { dateStyle: 'long' }, { dateStyle: 'medium' }, { dateStyle: 'short', timeStyle: 'short' }, { dateStyle: 'medium', timeStyle: 'long' }]) texts.add(new Date(1.7e12).toLocaleString(l, o));
// Pieces in any order, and texts with one character changed.
let seed = 1;
const pick = (list) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return list[(seed >>> 8) % list.length]; };
const pieces = ['2024', '1', '2', '31', '59', '07', 'Jan', 'May', 'Z', 'GMT', 'EST', 'T', 'am', 'PM', ':', ':', '-', '-', '+', '.', '/', ' ', ' ', ' ', ',', '(', ')', '10', '0530', 'x', '10:30', '2024-07-04'];
const chars = [...'0123456789:-+./ TZtzaAx(),'];
while (texts.size < 2200) texts.add(Array.from({ length: 3 + pick([0, 1, 2, 3, 4, 5, 6, 7]) }, () => pick(pieces)).join(''));
const some = [...texts].slice(0, 900);
while (texts.size < 3200) { const t = pick(some), at = pick([...Array(t.length + 1).keys()]); texts.add(t.slice(0, at) + pick(chars) + t.slice(at + pick([0, 1]))); }
const cases = [...texts].map((t) => [t]);
for (const zone of ['UTC', 'America/New_York']) { process.env.TZ = zone; for (const c of cases) c.push(JSON.stringify(new Date(c[0]).getTime())); }
const out = '[\n' + cases.map((c) => JSON.stringify(c)).join(',\n') + '\n]\n', name = new URL('date.json', import.meta.url);
if (!process.argv.includes('--check')) writeFileSync(name, out);
else if (readFileSync(name, 'utf8') !== out) { console.log('date.json is not what this Node.js gives'); process.exit(1); }
console.log(`${cases.length} texts, ${cases.filter((c) => c[1] !== 'null').length} of them dates`);
