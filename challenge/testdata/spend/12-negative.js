(api) => api.me.spends().insert({ tabId: 31, cents: -250000, memo: 'refund' })
