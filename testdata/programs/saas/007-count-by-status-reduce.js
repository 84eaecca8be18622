// How many tasks are there of each status?
// as: 3

const tasks = await api.organization.projects().tasks().select(({ task }) => ({ status: task.status })).execute();
return tasks.reduce((m, { status }) => ({ ...m, [status]: (m[status] || 0) + 1 }), {});

//=> {"done":2,"in_progress":3,"todo":7}
