(api) => api.me.batches().payouts().batch().payouts().all().update(p => ({ cents: p.cents + 1 }))
