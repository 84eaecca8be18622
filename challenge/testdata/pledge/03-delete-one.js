(api) => api.me.batches().payouts().where({ id: 704 }).delete()
