(api) => api.me.spends().all().update(s => ({ tabId: s.tabId + 10 }))
