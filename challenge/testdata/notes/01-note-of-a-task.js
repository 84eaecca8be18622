(api) => api.organization.projects().tasks().note()
