(api) => api.me.spends().insert({ tabId: 31, cents: 1, memo: "x'); UPDATE tabs SET name = 'x' --" })
