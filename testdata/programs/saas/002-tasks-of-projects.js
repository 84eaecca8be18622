// List all tasks with the project they belong to.
// as: 2

(api) => api.organization
  .join(({ org }) => org.projects())
  .join(({ project }) => project.tasks())
  .select(({ project, task }) => ({ project: project.name, task: task.title, status: task.status }))
  .execute()

//=> in any order
// [
//  {"project":"Harvest 2026","task":"Buy seed potatoes","status":"done"},
//  {"project":"Harvest 2026","task":"Plough the north field","status":"done"},
//  {"project":"Harvest 2026","task":"Test the soil","status":"done"},
//  {"project":"Harvest 2026","task":"Hire pickers","status":"in_progress"},
//  {"project":"Harvest 2026","task":"Repair the combine","status":"in_progress"},
//  {"project":"Harvest 2026","task":"Sign the market contract","status":"todo"},
//  {"project":"Harvest 2026","task":"Order crates","status":"todo"},
//  {"project":"Harvest 2026","task":"Insure the barn","status":"todo"},
//  {"project":"Irrigation","task":"Survey the well","status":"done"},
//  {"project":"Irrigation","task":"Buy drip hoses","status":"in_progress"},
//  {"project":"Irrigation","task":"Apply for the water permit","status":"in_progress"},
//  {"project":"Irrigation","task":"Lay the main pipe","status":"todo"},
//  {"project":"Irrigation","task":"Program the valves","status":"todo"},
//  {"project":"Irrigation","task":"Fence the pump","status":"todo"},
//  {"project":"Irrigation","task":"Paint the tank","status":"todo"},
//  {"project":"Tractor leasing","task":"Collect the offers","status":"done"},
//  {"project":"Tractor leasing","task":"Compare the rates","status":"done"},
//  {"project":"Tractor leasing","task":"Cancel the leasing","status":"in_progress"},
//  {"project":"Tractor leasing","task":"Return the keys","status":"todo"},
//  {"project":"Tractor leasing","task":"File the papers","status":"todo"}
// ]
