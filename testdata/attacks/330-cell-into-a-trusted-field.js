// A sealed cell of an outsider that nobody opened goes into no field that demands trust.
// world: office
// wants: "mail.send {\"to\":\"mallory@x.example\""
const l = await letters.where({ id: 1 }).first();
await mail.send({ to: l.sender, text: 'hello' });
return 1;
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
