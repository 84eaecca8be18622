// Drives exo serve, on standard input and output and over HTTP, with the clients of the TypeScript SDK: the one of 2025-11-25 and
// the one of 2026-07-28.
//
//   node clients.mjs EXO FOLDER
import assert from 'node:assert/strict';
import { exo, grants, overHTTP, tokens, tool } from './shop.mjs';

const { url } = await overHTTP();
const file = grants('http://127.0.0.1:1');
const env = { ...process.env, ...Object.fromEntries(tokens.map((t, i) => [`SHOP_TOKEN_${i}`, t])) };
const overStdio = { command: exo, args: ['serve', file, '-as', 'customer=2'], env, cwd: '/', stderr: 'ignore' };
const withToken = { requestInit: { headers: { authorization: `Bearer ${tokens[0]}` } } };

const older = {
  ...await import(tool('sdk/dist/esm/client/index.js')),
  ...await import(tool('sdk/dist/esm/client/stdio.js')),
  ...await import(tool('sdk/dist/esm/client/streamableHttp.js')),
};
const newer = { ...await import(tool('client/dist/index.mjs')), ...await import(tool('client/dist/stdio.mjs')) };

let n = 0;
for (const [revision, sdk, options] of [['2025-11-25', older, {}], ['2026-07-28', newer, { versionNegotiation: { mode: { pin: '2026-07-28' } } }]]) {
  for (const [way, me, transport] of [
    ['stdio', 'bob', () => new sdk.StdioClientTransport(overStdio)],
    ['http', 'ann', () => new sdk.StreamableHTTPClientTransport(new URL(url), withToken)],
  ]) {
    const client = new sdk.Client({ name: 'test', version: '1' }, options);
    await client.connect(transport());
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(t => [t.name, t.annotations.readOnlyHint, t.annotations.destructiveHint]), [['execute', false, true]]);

    // A result is sent once, as text.
    const run = async code => {
      const r = await client.callTool({ name: 'execute', arguments: { code } });
      assert.equal(r.structuredContent, undefined);
      return { ...r, output: JSON.parse(r.content[0].text) };
    };
    assert.deepEqual((await run('me.select(c => c.id)')).output.result, [me === 'ann' ? 1 : 2]);
    assert.equal((await run('me.where(c => c.id > 0 || true).count()')).output.result, 1);
    const refused = await run('me.select(c => c.password)');
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /password/);
    const name = `${me} ${revision}`;
    const written = await run(`me.where({ id: ${me === "ann" ? 1 : 2} }).update({ name: ${JSON.stringify(name)} })`);
    assert.ok(!written.isError, written.content[0].text);
    assert.deepEqual((await run('me.select(c => c.name)')).output.result, [name]);
    const declared = await client.readResource({ uri: 'exo://declarations' });
    assert.match(declared.contents[0].text, /customer/);
    assert.ok((await client.listPrompts()).prompts.length > 0);
    await client.close();
    n++, console.log(`${revision}, ${way}: ok`);
  }
}
await assert.rejects(new older.Client({ name: 'test', version: '1' }).connect(new older.StreamableHTTPClientTransport(new URL(url))), /401|[Uu]nauthorized/);
assert.equal(n, 4);
process.exit(0);
