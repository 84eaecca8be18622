// A thenable runs code whenever somebody awaits it: the host does not.
let ran = 0;
const evil = { then(resolve) { ran++; resolve('taken over'); } };
const kept = await box.put({ a: 1 });
return [kept, [evil].length, ran];
//=> [{"a":1},1,0]
---
// twin: raw
let ran = 0;
const evil = { then(resolve) { ran++; resolve('taken over'); } };
return await evil;
//=> "taken over"
