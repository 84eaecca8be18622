// The call that is named is the first that brought a label, whatever was read by it.
// world: office
// wants: a difference
if (await people.where(p => p.pay > 5000).count()) await people.where(p => p.pay > 1 && p.email !== 'x').max(p => p.pay);
else await people.min(p => p.pay);
return tasks.count();
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
const n = await people.where(p => p.pay > 5000).count();
return n ? people.where(p => p.pay > 1 && p.email !== 'x').max(p => p.pay) : people.min(p => p.pay);
//~> "result"
