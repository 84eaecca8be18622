// A link that begins at what outsiders wrote fills in no trusted column, whatever the program has read.
// world: office
// wants: "answer 5 mallory"
return letters.where({ id: 1 }).answers().insert({ id: 5, text: 'x' }).then(() => 1)
//~> "outsiders wrote"
---
// twin: unlabelled
//~> "\"result\":1"
