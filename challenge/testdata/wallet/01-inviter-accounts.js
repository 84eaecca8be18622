(api) => api.currentUser.inviter().accounts().wallets()
