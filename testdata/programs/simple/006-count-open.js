// How many todos do I still have to do?

async function run(api) {
  return await api.currentUser.todos().where(t => t.completed.eq(false)).count();
}

//=> 6
