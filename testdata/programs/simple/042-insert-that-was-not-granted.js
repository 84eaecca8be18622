// Add a todo "Buy bread".

async (api) => {
  await api.currentUser.todos().insert({ title: 'Buy bread' });
}

//! denied 2:30
//! no member `insert`
//! no right to add rows was granted here
