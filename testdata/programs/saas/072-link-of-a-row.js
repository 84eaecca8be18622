// How many tasks does the first project have?

const projects = await api.organization.projects().execute();
return await projects[0].tasks().count();

//! program 2:31
//! tasks
//! query
