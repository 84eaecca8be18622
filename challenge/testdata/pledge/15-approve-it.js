async (api) => { const waits = await api.me.batches().payouts().all().update({ cents: 1 }); return [typeof api.approve, typeof api.me.approve, Object.keys(api), waits] }
