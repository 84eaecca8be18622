(api) => api.me.spends().insert({ tabId: '41', cents: 1, memo: 'text' })
