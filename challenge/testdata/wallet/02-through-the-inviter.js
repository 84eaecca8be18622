(api) => api.currentUser.accounts().user().inviter().accounts().wallets()
