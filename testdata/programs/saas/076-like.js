// Whose name begins with A?

(api) => api.organization.members().where(m => m.name.like('A%')).execute()

//! denied 1:50
//! no member `like`
//! it has
