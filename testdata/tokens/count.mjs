// Counts the tokens of the texts in this folder, for counts.json:
//   npm install --prefix /tmp/tokens js-tiktoken@1.0.21 @anthropic-ai/tokenizer@0.0.4
//   NODE_PATH=/tmp/tokens/node_modules node testdata/tokens/count.mjs > testdata/tokens/counts.json
// Nothing of it runs in a test: the counts are true for as long as the texts stay as they are.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(path.join(process.env.NODE_PATH, 'x.js'));
const { Tiktoken } = require('js-tiktoken/lite');
const openai = (name) => {
  const ranks = require(`js-tiktoken/ranks/${name}`);
  const t = new Tiktoken(ranks.default ?? ranks);
  return (s) => t.encode(s).length;
};
const { countTokens } = require('@anthropic-ai/tokenizer');
const tokenizers = { o200k_base: openai('o200k_base'), cl100k_base: openai('cl100k_base'), claude: countTokens };

const dir = path.dirname(new URL(import.meta.url).pathname);
const counts = {};
for (const file of fs.readdirSync(dir).filter((f) => f.endsWith('.txt')).sort()) {
  const text = fs.readFileSync(path.join(dir, file), 'utf8');
  counts[file] = { bytes: Buffer.byteLength(text) };
  for (const [name, count] of Object.entries(tokenizers)) counts[file][name] = count(text);
}
console.log(JSON.stringify(counts, null, 2));
