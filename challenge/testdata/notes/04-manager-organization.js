(api) => api.organization.members().manager().organization().notes()
