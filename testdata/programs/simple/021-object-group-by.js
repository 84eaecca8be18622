// Group my open todos by priority.

const open = await api.currentUser.todos().where({ completed: false }).orderBy(t => t.id).execute();
const groups = Object.groupBy(open, t => t.priority === 1 ? 'urgent' : 'later');
return Object.fromEntries(Object.entries(groups).map(([k, list]) => [k, list.map(t => t.id)]));

//=> {"urgent":[2,5,9],"later":[3,6,7]}
