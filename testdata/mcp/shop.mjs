// A shop in SQLite with a grant file, served by exo, for the scripts beside this one.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const [exo, tools] = process.argv.slice(2);
if (!tools) {
  console.error('usage: node SCRIPT EXO FOLDER, the program and where npm installed the tools');
  process.exit(2);
}
export { exo };
export const tool = path => join(tools, 'node_modules', '@modelcontextprotocol', path);

export const folder = mkdtempSync(join(tmpdir(), 'exo-mcp-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

// tokens are of one person each. A scenario after the other would take more requests of one than an identity has in a minute.
export const tokens = Array.from({ length: 8 }, (_, i) => `a-token-of-this-test-alone-0123456789-${i}`);

const db = new DatabaseSync(join(folder, 'shop.db'));
db.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO customers VALUES (1, 'ann'), (2, 'bob');`);
db.close();

export const freePort = () => new Promise((done, failed) => {
  const s = createServer().once('error', failed).listen(0, '127.0.0.1', () => {
    const { port } = s.address();
    s.close(() => done(port));
  });
});

// grants writes the file. origin is that of a web page which may send requests.
export const grants = origin => {
  const file = join(folder, 'exo.yaml');
  writeFileSync(file, `exo: 1
reviewed: true
databases: {shop: "sqlite:shop.db"}
principal: {customer: int}
grants: {me: customer}
facets:
  customer:
    table: customers
    scope: id = $principal.customer
    columns: [id, name]
    update: [name]
serve:
  origins: ["${origin}"]
  tokens:
${tokens.map((_, i) => `    person${i}: {token: env:SHOP_TOKEN_${i}, claims: {customer: 1}}\n`).join('')}`);
  return file;
};

// overHTTP starts exo serve, and ends it with this process.
export const overHTTP = async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...process.env, ...Object.fromEntries(tokens.map((t, i) => [`SHOP_TOKEN_${i}`, t])) };
  const child = spawn(exo, ['serve', grants(origin), '-http', `127.0.0.1:${port}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => child.kill());
  let said = '';
  await new Promise((done, failed) => {
    child.stderr.on('data', text => (said += text).includes(`is served at ${origin}/mcp`) && done());
    child.once('exit', () => failed(new Error(`exo serve ended: ${said}`)));
  });
  return { port, url: `${origin}/mcp` };
};
