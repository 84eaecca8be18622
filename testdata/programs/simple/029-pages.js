// Show the second page of my todos, four on a page.

async function main({ currentUser }) {
  const page = 2, size = 4;
  const rows = await currentUser.todos().orderBy(({ todo }) => todo.id.asc()).limit(size).offset((page - 1) * size).execute();
  return rows.map(r => r.id);
}

//=> [5,6,7,8]
