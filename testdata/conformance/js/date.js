[new Date(0), new Date(2026, 0, 31, 1, 2, 3, 4), new Date('2026-01-31'), new Date('2026-01-31T10:00:00'), new Date('2026-01-31T10:00:00+02:00'), new Date('2026-01-31T10:00Z'), new Date('2026-01'), new Date('2026')]
[new Date('x'), new Date(NaN), new Date(undefined), new Date(null), new Date(8.64e15), new Date(8.64e15 + 1), new Date('2026-13-01'), new Date('2026-02-30')].map((d) => isNaN(d))
[Date.UTC(2026, 0), Date.UTC(2026, 12, 1), Date.UTC(99, 0), Date.UTC(2026), Date.parse('2026-01-01T00:00:00.123Z'), Date.parse('nonsense'), Date.UTC(NaN)]
{ const d = new Date(Date.UTC(2026, 1, 28, 23, 59, 59, 999)); return [d.getFullYear(), d.getMonth(), d.getDate(), d.getDay(), d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds(), d.getTime(), d.valueOf(), d.getTimezoneOffset()]; }
{ const d = new Date(0); return [d.setFullYear(2024), d.setMonth(1), d.setDate(29), d.setHours(5, 6, 7, 8), d.setMinutes(70), d.setUTCSeconds(1), d.setMilliseconds(5), d.setTime(1e12), d]; }
{ const d = new Date(Date.UTC(2026, 0, 31)); d.setMonth(1); return d; }
{ const d = new Date('2026-03-01'); d.setDate(0); return d; }
[new Date(0).toISOString(), new Date(0).toJSON(), new Date(1e12).toUTCString(), new Date(0).toDateString()]
new Date(NaN).toISOString()
[new Date(NaN).toJSON(), String(new Date(NaN)), new Date(NaN).getTime(), new Date(NaN).getFullYear()]
[new Date(5) - new Date(3), +new Date(5), new Date(5) > new Date(3), new Date(5) == new Date(5), typeof (new Date(1) + '')]
[new Date(2026, 0, 1).toLocaleDateString(), new Date(0).toLocaleTimeString('en-US'), new Date(0).toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })]
[new Date(new Date(5)).getTime(), new Date('5').getFullYear() > 1900, new Date(2026, 0).getDate(), new Date(0, 0).getFullYear(), new Date(99, 0).getFullYear(), new Date(100, 0).getFullYear()]
[new Date(-1).toISOString(), new Date(Date.UTC(0, 0, 1)).getFullYear()]
[typeof Date(), typeof Date.now(), Date.name, new Date(0) instanceof Date, Object.keys(new Date(0)), JSON.stringify({ d: new Date(0) })]
['Jan 31 2026', 'January 31, 2026 10:00', '31 Jan 2026', '2026/01/31', '01/31/2026', 'Sat, 31 Jan 2026 10:00:00 GMT', '2026-1-3'].map((s) => Date.parse(s))
{ const a = new Date('2026-01-15'), b = new Date('2026-03-01'); return [Math.round((b - a) / 864e5), new Date(a.getTime() + 7 * 864e5), a < b, [b, a].sort((x, y) => x - y)]; }
{ const d = new Date('2026-01-31T12:34:56.789Z'); return [d.toISOString().slice(0, 10), d.toISOString().split('T')[1], d.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' })]; }
[new Date(0).toString(), new Date(0).toTimeString()]
[new Date(-62198755200000).toISOString(), new Date(253402300800000).toISOString()]
Date.length
