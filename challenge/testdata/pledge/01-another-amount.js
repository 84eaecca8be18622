(api) => api.me.batches().payouts().where({ id: 701 }).update({ cents: 1 })
