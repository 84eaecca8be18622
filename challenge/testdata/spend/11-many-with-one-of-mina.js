async (api) => { try { await api.me.spends().insertMany([{ tabId: 31, cents: 1, memo: 'a' }, { tabId: 41, cents: 1, memo: 'b' }]) } catch (e) { console.log(e.message) } return api.me.spends() }
