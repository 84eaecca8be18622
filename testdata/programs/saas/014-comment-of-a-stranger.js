// Who commented on "Write the grip controller"?

async (api) => {
  const task = api.organization.projects().tasks().where({ title: 'Write the grip controller' });
  const comments = await task.comments().execute();
  const authors = await task.comments().author().orderBy(m => m.name).execute();
  return { comments: comments.length, authors: authors.map(a => a.name) };
}

//=> {"comments":5,"authors":["Bob Castellanos","Carol Nguyen","Dmitri Volkov","Esther Mbeki"]}
