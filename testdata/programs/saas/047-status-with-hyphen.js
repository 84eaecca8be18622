// What is in progress?

return await api.organization.projects().tasks().where(t => t.status === 'in-progress').execute();

//! invalid 1:61
//! 'in_progress'
//! "in-progress"
