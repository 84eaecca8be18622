(api) => api.me.batches().payouts().where({ id: 701 }).update({ batchId: 63 })
