#!/usr/bin/env node
// Starts the exo of this platform, which npm installed as a package of its own.
'use strict';
const { spawn } = require('node:child_process');

const name = `@exoagent/exo-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/exo${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`exo: the package ${name} is not installed. Optional dependencies were left out, or exo has no binary for this platform.`);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
process.on('SIGINT', () => {}); // a terminal sends it to exo as well, which decides
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', e => {
  console.error(`exo: ${binary} can't be started: ${e.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal); // whoever waits sees the same end
});
