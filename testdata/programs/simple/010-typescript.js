// Give me the titles of my finished todos in alphabetical order.

interface Row { title: string; completed: boolean }

export default async function main(api: any): Promise<string[]> {
  const rows: Row[] = await api.currentUser.todos().execute();
  return rows.filter((r: Row) => r.completed).map(r => r.title).sort();
}

//=> ["Book flights to Lisbon","Buy milk","Pay rent","Water the plants"]
