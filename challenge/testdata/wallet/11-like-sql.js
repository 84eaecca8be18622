(api) => api.currentUser.accounts().where(a => a.name.like("' OR 1=1 --"))
