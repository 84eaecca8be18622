// Show the projects with lodash.

const _ = require('lodash');
return _.groupBy(await api.organization.projects().execute(), 'archived');

//! syntax 1:11
//! require
//! not available
