(api) => api.me.spends().all().delete()
