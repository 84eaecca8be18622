// Give me the titles of all tasks that are done.

(api) => api.organization.projects().tasks().where(t => t.status === 'done').select(t => t.title).execute()

//=> in any order
// ["Design the thumb joint","Order servo motors","Document the wiring","Choose a font","Draw the new logo","Map the hall","Buy floor markers","Return the loan robot"]
