// Name the projects that are not archived.

async function ({ organization: org }) {
  const { results } = await org.projects().where(({ project }) => project.archived.not()).orderBy(({ project }) => project.name).execute();
  return results.map(({ name }) => name);
}

//=> ["Gripper v2","Warehouse pilot","Website relaunch"]
