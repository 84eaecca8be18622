// A column that admits addresses admits no salaries.
// world: office
// wants: "person 2 x"
if (await people.where(p => p.pay > 50).count()) await people.where({ id: 2 }).update({ note: 'x', title: 'x' });
return 1;
//~> "denied"
---
// twin: unlabelled
//~> "\"result\":1"
