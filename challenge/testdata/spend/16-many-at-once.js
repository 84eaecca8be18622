(api) => Promise.all([...Array(40).keys()].map(i => api.me.spends().insert({ tabId: 31, cents: 1, memo: 'x'.repeat(1000) }).catch(() => api.me.spends().insert({ tabId: 41, cents: 1, memo: 'y' }))))
