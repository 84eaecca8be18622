(api) => api.organization.notes().author().organization().notes()
