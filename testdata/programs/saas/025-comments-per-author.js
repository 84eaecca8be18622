// How often did each member comment?
// as: 2

const rows = await api.organization.projects().tasks().comments()
  .join(({ comment }) => comment.author())
  .select(({ member }) => ({ name: member.name }))
  .execute();
const counts = new Map();
for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1);
return Object.fromEntries([...counts].sort());

//=> {"Farid Rahimi":10,"Greta Olsson":3,"Hana Sato":6,"Ivan Petrov":4}
