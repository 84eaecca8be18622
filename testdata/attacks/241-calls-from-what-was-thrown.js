// A getter of the thrown object runs after the program has failed, so it can't make further calls.
// no twin: that no call is made shows in the record, see TestNothingAfterFailure
throw { get message() { tasks.count(); return 'sent'; } };
//! program
