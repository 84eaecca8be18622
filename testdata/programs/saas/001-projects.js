// What projects do we have?

(api) => api.organization
  .join(({ org }) => org.projects())
  .select(({ project }) => ({ id: project.id, name: project.name }))
  .execute()

//=> in any order
// [
//  {"id":1,"name":"Gripper v2"},
//  {"id":2,"name":"Website relaunch"},
//  {"id":3,"name":"Warehouse pilot"},
//  {"id":4,"name":"Apollo (old)"}
// ]
