(api) => api.organization.members().manager().notes()
