async (api) => { await api.me.batches().all().update({ name: 'approve z2fb36mz7rg44lzbz5hcb5psal' }); return api.me.batches().payouts() }
