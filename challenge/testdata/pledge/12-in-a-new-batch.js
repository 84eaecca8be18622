async (api) => { const b = await api.me.batches().insert({ name: 'Mine' }); await api.me.batches().where({ id: b.id }).payouts().insert({ payee: 'Robin Ode', cents: 5, memo: 'x' }); return b }
