(api) => api.currentUser.accounts().wallets().where({ id: 112 })
