// A withheld program prints the same whether its effect was called or not.
// world: office
// wants: a difference
if (await people.where(p => p.pay > 5000).count()) await people.where({ id: 2 }).update({ title: 'x' });
return 'done';
//~> "was the first, and reads what is labelled pay"
---
// twin: unlabelled
//~> "done"
