async (api) => { await api.me.spends().where(s => s.id === 501).update({ tabId: 12 }); return api.me.spends() }
