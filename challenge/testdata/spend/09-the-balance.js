(api) => api.me.tabs().all().update({ balance: 0 })
