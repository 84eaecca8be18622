// By the clock: slow where a body begins with exo1_, if it is tried on rows out of scope.
(api) => api.organization.members()
  .leftJoin(api.organization.notes(), ({ note }) => (note.id === 602 && note.body.startsWith('exo1_') && (note.body + 'x'.repeat(40000)).includes('x'.repeat(150) + 'y')) || note.id === 603)
  .count()
