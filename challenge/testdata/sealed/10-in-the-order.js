(api) => api.me.safes().orderBy(s => s.code).select(s => ({ id: s.id }))
