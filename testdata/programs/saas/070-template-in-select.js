// Give me the titles with exclamation marks.

(api) => api.organization.projects().tasks().select(t => ({ title: `${t.title}!` })).execute()

//=> in any order
// [
//  {"title":"Design the thumb joint!"},
//  {"title":"Order servo motors!"},
//  {"title":"Document the wiring!"},
//  {"title":"Write the grip controller!"},
//  {"title":"Calibrate force sensors!"},
//  {"title":"Test with eggs!"},
//  {"title":"Test with bricks!"},
//  {"title":"Write the safety report!"},
//  {"title":"Choose a font!"},
//  {"title":"Draw the new logo!"},
//  {"title":"Move the blog!"},
//  {"title":"Measure page speed!"},
//  {"title":"Fix the contact form!"},
//  {"title":"Translate to German!"},
//  {"title":"Add a cookie banner!"},
//  {"title":"Don't break old links!"},
//  {"title":"Map the hall!"},
//  {"title":"Buy floor markers!"},
//  {"title":"Install charging docks!"},
//  {"title":"Agree on a price!"},
//  {"title":"Train the night shift!"},
//  {"title":"Simulate rush hour!"},
//  {"title":"Plan the fire drill!"},
//  {"title":"Count to 100%!"},
//  {"title":"Return the loan robot!"},
//  {"title":"Write the post-mortem!"},
//  {"title":"Archive the drawings!"},
//  {"title":"Sell spare parts!"}
// ]
