// A program that meets a limit by a secret reads of the call that brought it, and of no limit.
// world: office
// wants: a difference
let n = await people.where(p => p.pay > 5000).count();
while (n) await tasks.count();
return 1;
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
//~> "result"
