// Runs the official conformance suite of the Model Context Protocol against exo serve, in both revisions. What fails has to be
// what conformance.txt lists, with reasons, and nothing of what it lists may pass.
//
//   node conformance.mjs EXO FOLDER
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { folder, freePort, overHTTP, tokens, tool } from './shop.mjs';

// The suite asks a server for tools, resources and prompts that it names itself. These are what exo has in their place.
const ours = {
  test_simple_text: { name: 'execute', arguments: { code: '"a text"' } },
  test_error_handling: { name: 'execute', arguments: { code: 'throw new Error("as the test wants it")' } },
  test_simple_prompt: { name: 'example-1' },
  'test://static-text': { uri: 'exo://declarations' },
};

// It has no token to send either. So a proxy stands between, which adds one; Host and Origin stay the suite's own, but for the port.
const { port, url } = await overHTTP();
const front = await freePort();
const agent = new http.Agent({ keepAlive: true });
let n = 0;
http.createServer((req, res) => {
  const parts = [];
  req.on('data', part => parts.push(part)).on('end', () => {
    let body = Buffer.concat(parts);
    const headers = { ...req.headers, authorization: `Bearer ${tokens[n++ % tokens.length]}` };
    for (const h of ['host', 'origin']) if (headers[h]) headers[h] = headers[h].replace(`:${front}`, `:${port}`);
    try {
      const m = JSON.parse(body);
      const instead = ours[m.params?.name ?? m.params?.uri];
      if (instead) {
        if (headers['mcp-name']) headers['mcp-name'] = instead.name ?? instead.uri;
        body = Buffer.from(JSON.stringify({ ...m, params: { ...m.params, ...instead } }));
        headers['content-length'] = body.length;
      }
    } catch { /* no JSON, as the suite wants it */ }
    const up = http.request({ host: '127.0.0.1', port, method: req.method, path: req.url, headers, agent }, r => {
      res.writeHead(r.statusCode, r.headers);
      r.pipe(res);
    });
    up.on('error', () => res.destroy());
    res.on('close', () => up.destroy());
    up.end(body);
  });
}).listen(front, '127.0.0.1');

// run gives the checks of a revision, by name, and whether they failed.
const run = async revision => {
  const out = join(folder, revision);
  // Its exit code says that something failed, which is for us to judge.
  const said = await new Promise(done => execFile(process.execPath, [tool('conformance/dist/index.js'), 'server', '--url', url.replace(`:${port}`, `:${front}`),
    '--requirements', revision, '-o', out], { maxBuffer: 1 << 26 }, (err, stdout, stderr) => done(stdout + stderr)));
  const checks = new Map();
  for (const dir of readdirSync(out)) {
    const scenario = dir.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    for (const c of JSON.parse(readFileSync(join(out, dir, 'checks.json')))) {
      const key = `${revision} ${scenario} ${c.id}`;
      if (c.status === 'FAILURE') checks.set(key, c.errorMessage ?? 'it failed');
      else if (c.status === 'SUCCESS' && !checks.has(key)) checks.set(key, '');
    }
  }
  if (checks.size < 30) throw new Error(`the suite made ${checks.size} checks of ${revision}: ${said}`);
  return checks;
};

const listed = new Set();
let reason = false;
for (const line of readFileSync(new URL('conformance.txt', import.meta.url), 'utf8').split('\n')) {
  if (line.startsWith('# ')) reason = true;
  else if (line === '') reason = false;
  else if (!reason) throw new Error(`conformance.txt: no reason stands above ${line}`);
  else for (const revision of line.split(' ')[0].split(',')) listed.add([revision, ...line.split(' ').slice(1)].join(' '));
}

const checks = new Map((await Promise.all(['2025-11-25', '2026-07-28'].map(run))).flatMap(m => [...m]));
let wrong = 0, passed = 0;
for (const [key, failed] of checks) {
  if (failed && !listed.has(key)) console.error(`${key}: ${failed}`), wrong++;
  if (!failed && listed.has(key)) console.error(`${key} passes: take it out of conformance.txt`), wrong++;
  if (!failed) passed++;
}
for (const key of listed) if (!checks.has(key)) console.error(`${key} is in conformance.txt, and the suite has no such check`), wrong++;
console.log(`${passed} checks pass, ${listed.size} are listed with reasons`);
process.exit(wrong ? 1 : 0);
