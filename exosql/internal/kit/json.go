package kit

import (
	"github.com/exoagent/exoagent/exosql"
)

type Document struct {
	ID, Owner int64
	Name      *string
	Data      *exosql.JSON
}

var (
	Documents     = exosql.NewTable[Document]("documents")
	DocumentID    = exosql.NewKey(Documents, "id", func(d *Document) *int64 { return &d.ID })
	DocumentOwner = exosql.NewColumn(Documents, "owner", func(d *Document) *int64 { return &d.Owner })
	DocumentName  = exosql.NewNullable(Documents, "name", func(d *Document) **string { return &d.Name })
	DocumentData  = exosql.NewNullable(Documents, "data", func(d *Document) **exosql.JSON { return &d.Data })
)

const DocumentsDDL = `CREATE TABLE documents (id {int} PRIMARY KEY, owner {int} NOT NULL, name TEXT, data {json});
INSERT INTO documents VALUES
(1, 1, 'mac', '{"os":"mac","size":3,"on":true,"tags":["a","b"],"deep":{"x":{"y":"z"}},"a.b":"dot","q\"d":"quote","$.os":"dollar","[0]":"bracket","n":null,"when":"2024-01-31","length":5,"0":"zero","é":"é"}'),
(2, 1, 'x', '{"os":"win","size":2.5,"on":false,"tags":[],"huge":1e400,"big":12345678901234567890}'),
(3, 1, NULL, '{"os":5,"size":"3","on":"true"}'),
(4, 1, 'y', '[10,20,{"os":"mac"}]'),
(5, 1, 'z', '"mac"'),
(6, 1, 'w', NULL),
(7, 2, 'mac', '{"os":"mac","size":3,"on":true,"secret":"out of scope"}')`
