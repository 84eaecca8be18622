(api) => api.organization.notes().where(n => n.id === 602).first()
