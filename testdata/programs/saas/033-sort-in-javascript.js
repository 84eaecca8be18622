// List the projects by the number of their tasks, most first.
// as: 2

const projects = await api.organization.projects().orderBy(p => p.id);
const out = [];
for (const p of projects) {
  out.push({ name: p.name, tasks: await api.organization.projects().where({ id: p.id }).tasks().count() });
}
return out.sort((a, b) => b.tasks - a.tasks || a.name.localeCompare(b.name));

//=> [
//  {"name":"Harvest 2026","tasks":8},
//  {"name":"Irrigation","tasks":7},
//  {"name":"Tractor leasing","tasks":5}
// ]
