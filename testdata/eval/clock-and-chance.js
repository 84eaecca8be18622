// The clock is the start of the run and stands still; chance is seeded: with the
// same seed the same program has the same result.
const a = Date.now(); for (let i = 0; i < 1e5; i++); return [Date.now() - a, new Date().toISOString(), a]
//=> [0,"2026-01-02T03:04:05.678Z",1767323045678]
---
await tasks.execute(); return Date.now()  //=> 1767323045678
---
const r = [Math.random(), Math.random()]; return [r[0] !== r[1], r.every((x) => x >= 0 && x < 1)]  //=> [true,true]
---
return [new Date(2026, 6, 1, 12).toISOString(), new Date('2026-07-01T12:00').toISOString(), new Date().getTimezoneOffset()]
//=> ["2026-07-01T12:00:00.000Z","2026-07-01T12:00:00.000Z",0]
---
return typeof performance  //=> "undefined"
