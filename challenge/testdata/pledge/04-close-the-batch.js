(api) => api.me.batches().where({ id: 61 }).delete()
