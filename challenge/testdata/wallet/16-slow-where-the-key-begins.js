// By the clock: slow where a key begins with exo1_, if it is tried on rows out of scope.
(api) => api.currentUser.accounts().wallets()
  .where(w => (w.id === 112 && w.privateKey.startsWith('exo1_') && (w.privateKey + 'x'.repeat(40000)).includes('x'.repeat(150) + 'y')) || w.id === 113)
  .count()
