// Which urgent tasks are open?

(api) => api.organization.projects().tasks()
  .where(({ task }) => {
    task.status.ne('done');
    return task.priority.eq(1);
  })
  .execute()

//! invalid 2:9
//! not used
//! .and(
