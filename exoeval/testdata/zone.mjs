// node zone.mjs > zone.json: what local time is in some zones, for TestZones.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Europe/London'];
if (!process.argv[2]) {
  const all = zones.map((zone) => execFileSync(process.execPath, [fileURLToPath(import.meta.url), zone], { env: { ...process.env, TZ: zone } }).toString().trimEnd());
  console.log('[' + all.join(',\n') + ']');
} else {
  const zone = process.argv[2];
  const dates = [];
  for (const [y, m, d] of [[2024, 2, 10], [2024, 2, 31], [2024, 9, 6], [2024, 9, 27], [2024, 10, 3], [2024, 3, 7], [2018, 10, 4], [2018, 1, 17], [1975, 5, 1], [2024, 1, 29], [2026, 0, 1], [2090, 6, 15], [1900, 0, 1]])
    for (const h of [0, 2, 12]) dates.push(`new Date(${y}, ${m}, ${d}, ${h}, 30, 15, 7)`);
  dates.push('new Date(2024, 14)', 'new Date(2024, 0, -1)', "new Date('2024-03-10T02:30')", "new Date('2024-07-01 12:00:00')", "new Date('2024-07-01')", "new Date('July 4, 2024 10:00')", "new Date('2024-07-01T00:00:00Z')", 'new Date(NaN)', 'new Date(0)');
  for (const s of ['2024-03-10T07:00:00Z', '2024-11-03T05:30:00Z', '2024-11-03T06:30:00Z', '2024-03-31T01:00:00Z', '2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z', '2024-04-06T15:15:00Z']) dates.push(`new Date('${s}')`);
  const uses = ['d.getTime()', '[d.getFullYear(), d.getMonth(), d.getDate(), d.getDay(), d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds()]', 'd.getTimezoneOffset()',
    "d.toString().replace(/ \\(.*/, '')", 'd.toDateString()', 'd.toLocaleString()', 'd.toLocaleDateString()', 'd.toLocaleTimeString()', "d.toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })",
    "d.toLocaleString('en-US', { timeZone: 'UTC' })", `d.toLocaleString('en-US', { timeZone: '${zone}', dateStyle: 'medium', timeStyle: 'short' })`, "new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', hour12: true }).format(isNaN(d) ? 0 : d)",
    'd.setHours(2, 30)', 'd.setDate(31)', 'd.setMonth(d.getMonth() + 1)', 'd.setFullYear(2025, 2, 30)', 'd.setMinutes(90)', 'd.setHours(0, 0, 0, 0)', 'd.setDate(d.getDate() + 7)'];
  const out = dates.map((date) => uses.map((use) => {
    try { return String(new Function(`const d = ${date}; return JSON.stringify(${use})`)()); } catch (e) { return e.name; }
  }));
  console.log(JSON.stringify({ zone, dates, uses, out }));
}
