// What a program did not give comes from the database, and may be another's: here the sender.
// world: office
// wants: "task 2 bob"
const l = await letters.insert({ id: 9, subject: 's', body: 'mine' });
return tasks.where({ id: 2 }).update({ owner: l.sender === null ? 'bob' : 'ann' });
//~> "denied"
---
// twin: unlabelled
//~> "\"result\":1"
