async (api) => { await api.me.batches().payouts().all().update({ cents: 1 }); throw new Error('now it is done') }
