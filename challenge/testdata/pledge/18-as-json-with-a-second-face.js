(api) => { let n = 0; return api.me.batches().payouts().where({ id: 704 }).update({ get memo() { return 'x' }, get cents() { return n++ ? 1 : undefined } }) }
