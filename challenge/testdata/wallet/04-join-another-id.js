(api) => { const w = api.currentUser.accounts().wallets(); return w.join(w.as('o'), ({ wallet, o }) => wallet.id !== o.id).execute() }
