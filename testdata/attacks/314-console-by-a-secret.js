// The console of a withheld program is withheld.
// world: office
// wants: a difference
const n = await people.where(p => p.pay > 5000).count();
if (n) console.log('rich');
return 1;
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
//~> "result"
