// Which is the first done task?

(api) => api.organization.projects().tasks().first(t => t.status === 'done')

//! invalid 1:51
//! where
