// What is due next week?

(api) => api.organization.projects().tasks().where(t => t.dueAt < 'next week').execute()

//! invalid 1:57
//! must be a date
//! 2024-01-31T12:00:00Z
