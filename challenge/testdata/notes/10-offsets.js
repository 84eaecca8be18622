(api) => Promise.all([...Array(90).keys()].map(i => api.organization.notes().offset(i).limit(1).execute()))
