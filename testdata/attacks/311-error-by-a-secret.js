// Where, and by which call, a program fails that has read a secret is not told: the first call that brought the label is.
// world: office
// wants: a difference
const n = await people.where(p => p.pay > 5000).count();
if (n) throw new Error('rich');
await tasks.where(t => t.nothing === 1);
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
//~> "nothing"
