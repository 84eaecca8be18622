(api) => { const w = api.currentUser.accounts().wallets(); return w.join(w.as('o'), () => true).select(({ o }) => o).execute() }
