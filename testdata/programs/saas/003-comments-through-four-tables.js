// Show every comment with its task, project and organization.
// as: 3

(api) => api.organization
  .join(({ org }) => org.projects())
  .join(({ project }) => project.tasks())
  .join(({ task }) => task.comments())
  .select(({ org, project, task, comment }) => ({ org: org.name, project: project.name, task: task.title, comment: comment.body }))
  .execute()

//=> in any order
// [
//  {"org":"Initech Labs","project":"Printer firmware","task":"Reproduce the paper jam","comment":"Did you get the memo?"},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Reproduce the paper jam","comment":"PC LOAD LETTER again."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Reproduce the paper jam","comment":"I believe you have my stapler."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Sign the firmware","comment":"Works on my machine."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Sign the firmware","comment":"Did you get the memo?"},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Sign the firmware","comment":"PC LOAD LETTER again."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Drop parallel ports","comment":"Works on my machine."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Drop parallel ports","comment":"Did you get the memo?"},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Rename the error","comment":"TPS cover sheet is missing."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Rename the error","comment":"Posted from outside."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Support A3","comment":"I believe you have my stapler."},
//  {"org":"Initech Labs","project":"Printer firmware","task":"Support A3","comment":"TPS cover sheet is missing."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Buy tags","comment":"PC LOAD LETTER again."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Buy tags","comment":"I believe you have my stapler."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Glue tags to staplers","comment":"TPS cover sheet is missing."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Glue tags to staplers","comment":"Works on my machine."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Glue tags to staplers","comment":"Did you get the memo?"},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Find the red stapler","comment":"PC LOAD LETTER again."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Find the red stapler","comment":"I believe you have my stapler."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Ask the basement","comment":"TPS cover sheet is missing."},
//  {"org":"Initech Labs","project":"Stapler tracking","task":"Close the office early","comment":"Works on my machine."}
// ]
