// A write that was refused for what the program has read leaves nothing, though the program catches the error and makes one that is admitted.
// world: office
// wants: "person 2 a"
const n = await people.where(p => p.email.startsWith('ann')).count();
try { await people.where({ id: 2 }).update({ title: n ? 'a' : 'b' }) } catch {}
return people.where({ id: 2 }).update({ note: 'seen' });
//~> "result"
---
// twin: unlabelled
//~> "\"result\":1"
