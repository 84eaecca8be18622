// limits: ConsoleBytes=200
for (let i = 0; i < 1000; i++) console.log('line ' + i + 'x'.repeat(1000));
return 1;
//log "the console is full: the limit is 200 bytes"
//=> 1
---
// twin: default
for (let i = 0; i < 3; i++) console.log('line ' + i);
return 1;
//log "line 2"
//=> 1
