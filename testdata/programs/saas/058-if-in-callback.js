// Which tasks are done or urgent?

(api) => api.organization.projects().tasks()
  .where(t => {
    if (t.status === 'done') return true;
    return t.priority === 1;
  })
  .execute()

//! invalid 3:9
//! `if`
//! &&
//! ||
