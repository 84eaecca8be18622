// List the todos of user 2.

(api) => api.users.where({ id: 2 }).execute()

//! denied 1:14
//! `users`
//! `currentUser`
