// Prints what Node.js makes of expressions in the locale en-US and in UTC:
// TZ=UTC node intl.mjs > intl.json. TestIntl compares the evaluator with it.
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
console.log('[\n' + cases.map((c) => JSON.stringify(c)).join(',\n') + '\n]');
