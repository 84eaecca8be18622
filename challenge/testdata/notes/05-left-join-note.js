(api) => api.organization.projects().tasks().leftJoin(({ task }) => task.note()).execute()
