(api) => api.me.spends().insert({ tabId: 31, memberId: 9, cents: 1, memo: 'as Mina' })
