(api) => api.me.spends().where(() => true).update({ memo: 'mine now' })
