(api) => api.currentUser.accounts().wallets().where(w => w.id === 112 || true)
