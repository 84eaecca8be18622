(api) => { let n = 0; return api.me.spends().insert({ get tabId() { return n++ ? 41 : 31 }, cents: 1, memo: 'getter' }) }
