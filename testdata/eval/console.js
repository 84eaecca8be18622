// What is logged is captured.
console.log('a', 1, true, null, undefined, [1, { b: 2 }], new Date(0)); return 1
//log "a 1 true null null [1,{\"b\":2}] \"1970-01-01T00:00:00.000Z\""
//=> 1
---
console.error('bad'); console.warn('careful'); console.info('info'); console.debug('debug'); return 1
//log "error: bad\nwarn: careful\ninfo\ndebug\n"
//=> 1
---
console.log(await tasks.select((t) => ({ id: t.id })).limit(1)); return 1
//log "[{\"id\":1001}]"
//=> 1
---
console.log(tasks, () => 1, new Map(), Symbol('s'), new Error('e')); return 1
//log "[tasks] [function] [Map] [symbol]"
//log "\"message\":\"e\""
//=> 1
---
console.log('before'); throw new Error('after')
//log "before"
//! program "after"
---
console.log()
//=> null
