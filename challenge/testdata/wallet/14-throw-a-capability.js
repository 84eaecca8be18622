(api) => { throw api.currentUser }
