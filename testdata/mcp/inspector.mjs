// Drives exo serve, on standard input and output and over HTTP, with the command line of the inspector, in both eras of the protocol.
//
//   node inspector.mjs EXO FOLDER
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { exo, folder, grants, overHTTP, tokens, tool } from './shop.mjs';

const { url } = await overHTTP();
const file = grants('http://127.0.0.1:1');
const manifest = tool('inspector/package.json');
const inspector = join(dirname(manifest), JSON.parse(readFileSync(manifest)).bin['mcp-inspector']);
// Its own files, with the logins that it keeps, go into the folder of this test.
const env = { ...process.env, ...Object.fromEntries(tokens.map((t, i) => [`SHOP_TOKEN_${i}`, t])), HOME: folder };

// ask is what the inspector prints, and the code with which it ends.
const ask = (target, ...rest) => promisify(execFile)(process.execPath, [inspector, '--cli', ...target, ...rest, '--format', 'json', '-q'], { env, cwd: folder, timeout: 60000 })
  .then(r => ({ code: 0, out: r.stdout, said: r.stderr }), e => ({ code: e.code, out: e.stdout, said: e.stderr }));
const overStdio = [exo, 'serve', file, '-as', 'customer=1', ...tokens.flatMap((t, i) => ['-e', `SHOP_TOKEN_${i}=${t}`])];

let n = 0;
for (const era of ['legacy', 'modern']) {
  for (const [way, target] of [['stdio', overStdio], ['http', [url, '--transport', 'http', '--header', `Authorization: Bearer ${tokens[0]}`]]]) {
    const get = async (...rest) => {
      const r = await ask(target, '--protocol-era', era, ...rest);
      assert.ok(r.out, `${era}, ${way}: ${rest.join(' ')}: ended with ${r.code}: ${r.said}`);
      const x = JSON.parse(r.out);
      return x.result ?? x;
    };
    const run = code => get('--method', 'tools/call', '--tool-name', 'execute', '--tool-arg', `code=${code}`);
    assert.deepEqual((await get('--method', 'tools/list')).tools.map(t => t.name), ['execute']);
    assert.deepEqual(JSON.parse((await run('me.select(c => c.id)')).content[0].text).result, [1]);
    assert.match(JSON.stringify(await run('me.select(c => c.password)')), /"isError":true.*password|password.*"isError":true/);
    assert.match(JSON.stringify(await get('--method', 'resources/read', '--uri', 'exo://declarations')), /customer/);
    assert.ok((await get('--method', 'prompts/list')).prompts.length > 0);
    n++, console.log(`inspector, ${era}, ${way}: ok`);
  }
}
assert.notEqual((await ask([url, '--transport', 'http', '--stored-auth-only'], '--method', 'tools/list')).code, 0); // no token
assert.equal(n, 4);
process.exit(0);
