(api) => api.me.spends().insert({ id: 602, tabId: 31, cents: 1, memo: 'over Coffee' })
