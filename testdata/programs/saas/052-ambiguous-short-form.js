// Which tasks of active projects are open?

(api) => api.organization.projects()
  .join(({ project }) => project.tasks())
  .where(t => t.status !== 'done')
  .execute()

//! denied 3:17
//! task.status
//! ({ task })
