async (api) => { await api.me.batches().payouts().all().update({ cents: 1 }); for (;;) await api.me.execute() }
