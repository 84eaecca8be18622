// Whose name begins with A?

(api) => api.organization.members().where(m => m.name.like('A%')).execute()

//=> [{"id":1,"name":"Alice Moreau","email":"[sealed pii]","role":"owner","joinedAt":"2025-03-01T09:05:00.000Z"}]
