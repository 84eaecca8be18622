(api) => api.organization.projects().tasks().assignee().notes()
