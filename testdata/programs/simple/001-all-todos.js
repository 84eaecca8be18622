// Show me all my todos.

(api) => api.currentUser
  .join(({ user }) => user.todos())
  .select(({ todo }) => ({ id: todo.id, title: todo.title, completed: todo.completed }))
  .execute()

//=> in any order
// [
//  {"id":1,"title":"Buy milk","completed":true},
//  {"id":2,"title":"File the tax return","completed":false},
//  {"id":3,"title":"Call the dentist","completed":false},
//  {"id":4,"title":"Book flights to Lisbon","completed":true},
//  {"id":5,"title":"Don't forget Sam's birthday","completed":false},
//  {"id":6,"title":"Read \"A Pattern Language\"","completed":false},
//  {"id":7,"title":"Renew the passport","completed":false},
//  {"id":8,"title":"Pay rent","completed":true},
//  {"id":9,"title":"Pay the 100% deposit_fee","completed":false},
//  {"id":10,"title":"Water the plants","completed":true}
// ]
