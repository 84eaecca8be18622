(api) => api.me.batches().all().delete()
