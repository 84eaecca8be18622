// A program's own limit inside a join acts for each outer row; the host's does not widen.
return await top.join(({ task }) => task.comments().limit(1)).select(({ task, comment }) => ({ t: task.id, c: comment.id })).execute();
//=> [{"t":1002,"c":5003}]
---
// twin: open
//~> "6001"
