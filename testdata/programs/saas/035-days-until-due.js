// How many days are left for each task of "Warehouse pilot", counted from the first of March?

async (api) => {
  const from = new Date('2026-03-01T00:00:00Z');
  const rows = await api.organization.projects().where({ name: 'Warehouse pilot' }).tasks().where(t => t.dueAt > from).orderBy(t => t.dueAt).execute();
  return rows.map(t => ({ title: t.title, days: Math.floor((new Date(t.dueAt) - from) / 86400000) }));
}

//=> [
//  {"title":"Agree on a price","days":0},
//  {"title":"Install charging docks","days":24},
//  {"title":"Plan the fire drill","days":31},
//  {"title":"Simulate rush hour","days":45},
//  {"title":"Train the night shift","days":50}
// ]
