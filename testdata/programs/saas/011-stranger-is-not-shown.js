// Who has to write the post-mortem of Apollo?

async (api) => {
  const task = api.organization.projects().tasks().where(t => t.title === 'Write the post-mortem');
  const who = await task.assignee().first();
  return who ? who.name : 'nobody that I can see';
}

//=> "nobody that I can see"
