// What are my todos called?

async (api) => {
  const { results } = await api.currentUser.join(({ user }) => user.todos()).select(({ todo }) => ({ title: todo.title })).execute();
  return results.map(r => r.title).sort();
}

//=> [
//  "Book flights to Lisbon",
//  "Buy milk",
//  "Call the dentist",
//  "Don't forget Sam's birthday",
//  "File the tax return",
//  "Pay rent",
//  "Pay the 100% deposit_fee",
//  "Read \"A Pattern Language\"",
//  "Renew the passport",
//  "Water the plants"
// ]
