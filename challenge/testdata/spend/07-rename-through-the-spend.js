(api) => api.me.spends().tab().all().update({ name: 'taken' })
