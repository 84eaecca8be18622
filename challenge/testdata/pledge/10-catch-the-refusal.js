async (api) => { try { await api.me.batches().payouts().all().update({ cents: 1 }) } catch (e) { return e.message } return api.me.batches().payouts() }
